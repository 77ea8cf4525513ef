"Package metadata, read from settings.ini so there is one place to edit."
from configparser import ConfigParser
from pathlib import Path
import shlex, setuptools

config = ConfigParser(delimiters=['='])
config.read('settings.ini', encoding='utf-8')
cfg = config['DEFAULT']
training = 'adapters', 'wandb', 'tensorboard' # these are on top of rl
extras = {name: shlex.split(cfg[f'{name}_requirements']) for name in ('rl', 'lab', 'dev', *training)}
for name in training: extras[name] += extras['rl']
extras['dev'] += extras['rl'] + extras['lab']
lib = cfg['lib_path']

setuptools.setup(
    name=cfg['lib_name'], version=cfg['version'], description=cfg['description'], license='Apache-2.0',
    author=cfg['author'], author_email=cfg['author_email'], keywords=cfg['keywords'].split(),
    url=cfg['git_url'],
    packages=setuptools.find_packages(include=[lib, lib+'.*']),
    package_data={lib: ['py.typed', '*.pyi', '*/*.pyi', 'data/*', 'data/policy/*', 'data/policy/world/*',
                        'lab/static/*']},
    python_requires='>='+cfg['min_python'],
    install_requires=shlex.split(cfg['requirements']), extras_require=extras,
    classifiers=['Programming Language :: Python :: 3', 'Intended Audience :: '+cfg['audience']],
    long_description=Path('README.md').read_text(encoding='utf-8') if Path('README.md').exists() else '',
    long_description_content_type='text/markdown',
    entry_points=dict(console_scripts=cfg['console_scripts'].split(), nbdev=[f'{lib}={lib}._modidx:d']))
