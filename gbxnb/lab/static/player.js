// Play, pause, a slider and the clock of a player; stands behind life.js

const ICONS = {back: 'M3 2h2v12H3zM13 2v12L6 8z', play: 'M4 2l10 6-10 6z',
  pause: 'M3 2h4v12H3zM9 2h4v12H9z', on: 'M3 2v12l7-6zM11 2h2v12h-2z'};
const icon = name => `<svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
  <path d="${ICONS[name]}"/></svg>`;
const button = (name, says) =>
  `<button data-do="${name}" title="${says}" aria-label="${says}">${icon(name)}</button>`;
const speeds = [.25, .5, 1, 2, 4, 8].map(s => `<option value="${s}">${s}×</option>`).join('');
const BAR = `<div class="gbx-knobs" data-lm-suppress-shortcuts="true" role="group" aria-label="player">
  ${button('play', 'play')}${button('back', 'one moment back')}${button('on', 'one moment on')}
  <input type="range" min="0" aria-label="moment"><span class="gbx-at"></span>
  <select title="speed" aria-label="speed">${speeds}</select>
  <span class="gbx-switches"></span></div><div class="gbx-life" role="status" hidden></div>`;

const knobs = (model, el) => {
  const root = document.createElement('div'), get = s => root.querySelector(s);
  root.className = 'gbx-player'; root.innerHTML = BAR; el.append(root);
  const [bar, play, slider] = ['.gbx-knobs', '[data-do=play]', 'input'].map(get);
  const put = (name, value) => { model.set(name, value); model.save_changes() };
  const go = at => put('value', Math.max(0, Math.min(model.get('max'), at)));
  const act = {play: () => put('playing', !model.get('playing')), back: () => go(model.get('value') - 1),
               on: () => go(model.get('value') + 1)};
  for (const b of root.querySelectorAll('[data-do]')) b.onclick = () => act[b.dataset.do]();
  slider.oninput = () => go(+slider.value);
  get('select').onchange = e => put('speed', +e.target.value);
  bar.addEventListener('keydown', e => {
    if (e.target == slider && e.key == ' ') { act.play(); e.preventDefault() }
    if (!e.ctrlKey && !e.metaKey && !e.altKey) e.stopPropagation();
  });

  const show = () => {
    const [at, max, on] = ['value', 'max', 'playing'].map(k => model.get(k));
    slider.max = max; slider.value = at; slider.disabled = !max;
    get('.gbx-at').textContent = `${at + 1} / ${max + 1}`;
    const says = on ? 'pause' : 'play';
    if (play.title != says) { play.innerHTML = icon(says); play.title = says; play.ariaLabel = says }
    get('select').value = model.get('speed');
  };
  const flip = () => {
    const on = model.get('switches'), names = Object.keys(on);
    if (get('.gbx-switches').childElementCount != names.length)
      get('.gbx-switches').replaceChildren(...names.map(name => {
        const b = document.createElement('button');
        b.textContent = name; b.role = 'switch';
        b.onclick = () => put('switches', {...model.get('switches'), [name]: !model.get('switches')[name]});
        return b;
      }));
    for (const b of get('.gbx-switches').children) b.ariaChecked = String(on[b.textContent]);
  };
  const alive = life(model, get('.gbx-life'));
  model.on('change:value change:max change:playing change:speed', show);
  model.on('change:switches', flip);
  play.innerHTML = icon('play'); show(); flip();
  return () => {
    alive(); model.off('change:switches', flip);
    model.off('change:value change:max change:playing change:speed', show);
  };
};

export default () => {
  let views = 0, plan = () => {};
  return {
    initialize({model}) {
      let timer = 0, due = 0, open = 0, at = 0; // `at` is where the kernel was when it answered
      const ask = () => {
        if (!open) at = model.get('value');
        model.send({type: 'next', at: at + open}); // where it will be by then
        open++; plan();
      };
      plan = () => {
        clearTimeout(timer);
        if (!model.get('playing') || !views || open > 1) return;
        const now = performance.now(), period = 1000/(model.get('fps')*model.get('speed'));
        due = Math.max(due + period, now);
        timer = setTimeout(ask, due - now);
      };
      const answered = message => {
        if (message.type != 'ready') return;
        at = message.at;
        if (open && open-- > 1) plan();
      };
      const begin = () => { open = 0; plan() };
      model.on('change:playing', begin);
      model.on('msg:custom', answered);
      return () => {
        clearTimeout(timer);
        model.off('change:playing', begin); model.off('msg:custom', answered);
      };
    },
    render({model, el}) {
      const gone = knobs(model, el);
      views++; plan();
      return () => { views--; gone() };
    },
  };
};
