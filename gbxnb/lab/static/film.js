(() => {
const d = DATA, root = document.getElementById('ID'), get = s => root.querySelector(s), img = new Image();
const all = get('.all'), one = get('.one'), bar = get('input'), gap = 2, rows = Math.ceil(d.n/d.cols);
let pick = d.pick, timer = 0;
all.width = d.cols*(d.w*d.scale+gap)+gap; all.height = rows*(d.h*d.scale+gap)+gap;
one.width = d.w*d.big; one.height = d.h*d.big; bar.max = d.t-1;
if (d.n < 2) all.style.display = 'none';
const put = (c, t, i, x, y, s) => { c.imageSmoothingEnabled = false;
  c.drawImage(img, Math.floor(t/d.per)*d.cols*d.w + i%d.cols*d.w,
    t%d.per*rows*d.h + Math.floor(i/d.cols)*d.h, d.w, d.h, x, y, d.w*s, d.h*s); };
const draw = () => { const t = +bar.value, c = all.getContext('2d'), w = d.w*d.scale, h = d.h*d.scale;
  c.clearRect(0, 0, all.width, all.height);
  for (let i = 0; i < d.n; i++) { const x = gap + i%d.cols*(w+gap), y = gap + Math.floor(i/d.cols)*(h+gap);
    if (i == pick) { c.fillStyle = d.mark; c.fillRect(x-gap, y-gap, w+2*gap, h+2*gap); }
    put(c, t, i, x, y, d.scale); }
  put(one.getContext('2d'), t, pick, 0, 0, d.big); get('.at').textContent = (t+1) + '/' + d.t;
  get('.note').textContent = (d.n > 1 ? '#' + pick + '  ' : '') + (d.notes ? d.notes[t][pick] : ''); };
const stop = () => { clearInterval(timer); timer = 0; get('.play').innerHTML = '&#9654; play'; };
get('.play').onclick = () => { if (timer) return stop(); get('.play').innerHTML = '&#9646;&#9646; pause';
  timer = setInterval(() => { if (!root.isConnected) return stop();
    bar.value = (+bar.value+1) % d.t; draw(); }, 1000/d.fps); };
bar.oninput = draw; img.onload = draw; img.src = d.png;
all.onclick = e => { const r = all.getBoundingClientRect();
  const x = (e.clientX-r.left)/r.width, y = (e.clientY-r.top)/r.height;
  const i = Math.floor(x*d.cols) + d.cols*Math.floor(y*rows);
  if (i < d.n) { pick = i; draw(); } };
})()
