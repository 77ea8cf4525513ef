// Puts the HTML of one console in place and sends what is clicked and typed; stands behind life.js

// Put `html` into `node`; fields keep what was typed, the focus stays where it was
const mark = n => ['data-do', 'data-arg', 'name'].map(a => n.getAttribute?.(a) ?? '').join('|');
const insert = (node, html) => {
  const active = node.contains(document.activeElement) ? mark(document.activeElement) : null;
  const fields = () => [...node.querySelectorAll('input:not([data-set])')];
  const typed = Object.fromEntries(fields().map(i => [i.name, i.value]));
  node.innerHTML = html;
  for (const i of fields()) if (typed[i.name]) i.value = typed[i.name];
  if (active === null) return;
  const same = [...node.querySelectorAll('button, input, select, [tabindex]')].find(n => mark(n) == active);
  (same ?? node.closest('.gbx-inspect')).focus({preventScroll: true});
};
const SHELL = `<div class="gbx-i-top" data-part="top"></div><div class="gbx-i-main">
  <div class="gbx-i-side" data-part="side"></div>
  <div class="gbx-i-right"><div class="gbx-i-tabs" role="tablist" data-part="tabs"></div>
    <div class="gbx-i-controls" data-part="controls"></div>
    <div class="gbx-i-panel" role="tabpanel" data-part="panel"></div></div></div>
  <div class="gbx-i-said" role="status" data-part="said"></div><div class="gbx-i-help"></div>
  <div class="gbx-i-life" role="status" hidden></div>`;

const listen = (root, model, act) => {
  const cell = (grid, e) => { // which cell of a picture was clicked
    const [columns, rows] = grid.dataset.grid.split('x').map(Number), r = grid.getBoundingClientRect();
    const at = (p, n) => Math.min(n - 1, Math.max(0, Math.floor(p*n)));
    return at((e.clientY - r.top)/r.height, rows)*columns + at((e.clientX - r.left)/r.width, columns);
  };
  const typed = (form, extra) => Object.fromEntries([...new FormData(form), ...extra]);
  root.addEventListener('click', e => {
    const node = e.target.closest('[data-do]');
    if (!node || e.target.closest('form, select, input')) return;
    if (!node.matches('button, .gbx-i-grid')) // a line was clicked
      root.focus({preventScroll: true});
    act(node.dataset.do, node.dataset.grid ? cell(node, e) : node.dataset.arg);
  });
  root.addEventListener('submit', e => {
    e.preventDefault();
    const {name, value} = e.submitter ?? {};
    act(e.target.dataset.do, '', typed(e.target, name ? [[name, value]] : []));
  });
  root.addEventListener('change', e => {
    const {name, value, dataset} = e.target;
    if (dataset.do) act(dataset.do, '', {[name]: value});
  });
  root.addEventListener('keydown', e => {
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    e.stopPropagation();
    const arrow = e.key.startsWith('Arrow'), grid = e.target.closest('.gbx-i-grid');
    if (e.target.matches('input, select, textarea')) return e.key == 'Escape' && root.focus();
    let done = true;
    if (grid && arrow) act(grid.dataset.do, e.key);
    else if (e.target.matches('[role=tab]') && /Arrow(Left|Right)/.test(e.key)) {
      const tabs = [...root.querySelectorAll('[role=tab]')], n = tabs.length;
      const at = tabs.indexOf(e.target) + (e.key == 'ArrowRight' ? 1 : n - 1);
      tabs[at % n].focus();
      act('tab', tabs[at % n].dataset.arg);
    } else if (/^[1-9]$/.test(e.key)) act('tab', e.key);
    else if (model.get('key_actions')[e.key]) act(model.get('key_actions')[e.key], '', {}, e.repeat);
    else done = false;
    if (done) e.preventDefault();
  });
};

export default {
  render({model, el}) {
    const root = document.createElement('div'), part = n => root.querySelector(`[data-part=${n}]`);
    root.className = 'gbx-inspect'; root.tabIndex = 0; root.innerHTML = SHELL;
    root.setAttribute('role', 'group'); root.setAttribute('aria-label', 'one console, from inside');
    root.setAttribute('data-lm-suppress-shortcuts', 'true');
    el.append(root);
    let waits = 0, shown = {};
    const act = (type, arg = '', typed = {}, again = false) => {
      if (again && waits && performance.now() - waits < 1000) return; // a key held down does not pile up
      waits = performance.now();
      model.send({type: 'do', do: type, arg: String(arg), typed});
    };
    const draw = () => {
      const parts = model.get('parts');
      for (const [name, html] of Object.entries(parts))
        if (shown[name] !== html) insert(part(name), html);
      shown = parts;
    };
    const answered = () => { waits = 0 };
    const help = () => {
      const inside = root.contains(document.activeElement);
      const does = 's step, n over, o out, c run, f frame, u back, b breakpoint, r to cursor, t take again';
      root.querySelector('.gbx-i-help').textContent =
        inside ? `keys: ${does}, 1-8 tabs, arrows` : 'click here to use keys';
    };
    const look = () => { if (model.get('follow') && !waits && !document.hidden) act('look') };
    const timer = setInterval(look, 250);
    root.addEventListener('focusin', help);
    root.addEventListener('focusout', () => setTimeout(help));
    listen(root, model, act);
    model.on('change:parts', draw); model.on('change:answers', answered);
    const end = life(model, root.querySelector('.gbx-i-life'));
    draw(); help();
    return () => {
      end(); clearInterval(timer);
      model.off('change:parts', draw); model.off('change:answers', answered);
    };
  },
};
