# docker build -t gbxnb . && docker run --rm -v gbxnb:/data gbxnb demo
# With CUDA: docker build --build-arg TORCH=cu130 -t gbxnb:cuda . && docker run --gpus all ...
FROM python:3.12-slim AS wheel
COPY . /source
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /dist /source

FROM python:3.12-slim
ARG TORCH=cpu
RUN --mount=type=bind,from=wheel,source=/dist,target=/dist \
    pip install --no-cache-dir uv && uv pip install --system --no-cache --torch-backend "$TORCH" "$(echo /dist/*.whl)[rl]"
# runs, and what is compiled once: both stay in the volume
RUN useradd --uid 1000 --create-home player && install -d -o player -g player /data
USER 1000
ENV XDG_CACHE_HOME=/data/cache
VOLUME /data
WORKDIR /data
ENTRYPOINT ["gbxnb"]
CMD ["--help"]
