// `line`, a part of the widget, says so when the kernel does not answer; alone on a page the widget has the focus
const life = (model, line) => {
  let heard = performance.now(), asked = 0, seen = false;
  const why = {busy: 'it is busy with a cell', idle: 'it was restarted; run this cell again'};
  const status = () => { try { return model.widget_manager.kernel.status } catch { return '' } };
  const hear = () => { heard = performance.now(); asked = 0; line.hidden = true };
  const look = () => {
    const every = 1000*model.get('heartbeat'), now = performance.now();
    if (!every || !seen || document.hidden) return hear();
    if (asked && now - asked > every) {
      line.textContent = 'the kernel does not answer: ' + (why[status()] ?? 'it is busy or gone');
      line.hidden = false;
    }
    if (asked ? now - asked < 10*every : now - heard < every) return;
    asked ||= now;
    try { model.send({type: 'ping'}) } catch { }
  };
  const timer = setInterval(look, 500);
  const box = line.parentElement ?? line;
  const sight = new IntersectionObserver(entries => {
    seen = entries.at(-1).isIntersecting;
    if (!seen || !document.body.dataset.voila || document.activeElement != document.body) return;
    (box.tabIndex < 0 ? box.querySelector('[tabindex="0"]') : box)?.focus({preventScroll: true});
  });
  sight.observe(box);
  model.on('msg:custom', hear);
  return () => { clearInterval(timer); sight.disconnect(); model.off('msg:custom', hear) };
};
