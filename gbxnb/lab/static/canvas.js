// The view and the model of a canvas of screens; stands behind life.js, paint.js and keyboard.js

const HTML = `<div class="gbx-screens" tabindex="0" role="application">
  <div class="gbx-all"><canvas></canvas><canvas class="gbx-over"></canvas></div>
  <div class="gbx-side"><div class="gbx-one"><canvas></canvas><canvas class="gbx-over"></canvas></div>
  <div class="gbx-note"></div></div></div>
  <div class="gbx-help"></div><div class="gbx-life" role="status" hidden></div>`;

const view = (model, el, now) => {
  const root = document.createElement('div'), get = s => root.querySelector(s);
  root.className = 'gbx-canvas'; root.innerHTML = HTML; el.append(root);
  const screens = get('.gbx-screens'), all = get('.gbx-all'), one = get('.gbx-one');
  let many, single, colour;

  const lay = () => { // sizes, from the model
    const [n, h, w, cols, scale, big] = ['n', 'h', 'w', 'cols', 'scale', 'big'].map(k => model.get(k));
    many = sheet(all.firstChild, n, cols, h, w); single = sheet(one.firstChild, 1, 1, h, w);
    const side = get('.gbx-side'), wide = many.wide*scale;
    all.hidden = n < 2; side.hidden = !big && n > 1;
    all.style.cssText = `max-width:${wide}px; flex-basis:${Math.min(wide, cols*39)}px`;
    side.style.cssText = `max-width:${w*big}px; flex-basis:${n < 2 ? w*big : Math.min(w*big, 160)}px`;
    screens.setAttribute('aria-label', model.get('label'));
    colour = colours(model.get('colors'), [214, 40, 120]);
    paint();
  };

  const over = () => { // everything but pixels
    const {moment} = now, picked = model.get('picked');
    if (!moment) return;
    const large = moment.note ? {...moment, text: null} : moment; // it stands below in full
    const two = [[all, many, 0, moment, picked], [one, single, picked, large]];
    for (const [box, sheet, first, what, mark] of two) {
      const wide = box.clientWidth;
      if (!wide) continue;
      box.firstChild.style.imageRendering = wide*devicePixelRatio < sheet.wide ? 'auto' : 'pixelated';
      overlay(box.lastChild, sheet, wide, first, what, mark);
    }
    get('.gbx-note').textContent = moment.note ?? '';
  };

  const paint = () => {
    const {moment} = now;
    if (!moment) return;
    const goal = model.get('difference') ? bytes(model.get('goal')) : new Uint8Array();
    if (!all.hidden) many.paint(0, moment.data, goal, colour);
    single.paint(model.get('picked'), moment.data, goal, colour);
    over();
  };

  const pick = k => {
    if (k < 0 || k >= model.get('n') || k == model.get('picked')) return;
    model.set('picked', k); model.save_changes();
  };
  const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: 0, ArrowDown: 0};
  const move = key => { // does this key pick?
    if (!(key in steps) || model.get('n') < 2) return false;
    pick(model.get('picked') + (steps[key] || model.get('cols')*(key == 'ArrowUp' ? -1 : 1)));
    return true;
  };
  all.addEventListener('click', e => {
    const r = all.getBoundingClientRect(), x = (e.clientX - r.left)/r.width, y = (e.clientY - r.top)/r.height;
    pick(Math.floor(x*many.cols) + many.cols*Math.floor(y*many.rows));
  });
  screens.addEventListener('mousedown', () => screens.focus({preventScroll: true}));

  const help = () => {
    const arrows = model.get('n') > 1 ? 'arrows pick a console' : '';
    const does = [arrows, model.get('help')].filter(x => x).join(', ');
    const inside = document.activeElement == screens;
    get('.gbx-help').textContent = !does ? '' : (inside ? 'keys: ' : 'click the screen to use keys: ') + does;
  };
  for (const kind of ['focus', 'blur']) screens.addEventListener(kind, help);

  const ends = [life(model, get('.gbx-life')), keyboard(model, screens, move)];
  const watch = (names, f) => {
    const events = names.split(' ').map(n => 'change:' + n).join(' ');
    model.on(events, f); ends.push(() => model.off(events, f));
  };
  watch('n h w cols scale big colors label', lay);
  watch('picked goal difference', paint);
  watch('n help', help);
  const sized = new ResizeObserver(over);
  sized.observe(all); sized.observe(one);
  ends.push(() => sized.disconnect(), () => now.views.delete(paint));
  now.views.add(paint);
  lay(); help();
  return () => ends.forEach(end => end());
};

export default () => {
  const now = {moment: null, views: new Set()};
  return {
    initialize({model}) {
      let waits = 0;
      const draw = () => {
        waits = 0;
        for (const paint of now.views) paint();
        model.send({type: 'shown', number: now.moment.number});
      };
      const take = (message, buffers) => {
        if (message.type != 'frame') return;
        now.moment = {...message, data: bytes(buffers[0])};
        waits ||= requestAnimationFrame(draw);
      };
      model.on('msg:custom', take);
      model.send({type: 'hello'});
      return () => { cancelAnimationFrame(waits); model.off('msg:custom', take) };
    },
    render({model, el}) { return view(model, el, now) },
  };
};
