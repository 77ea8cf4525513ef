// What is drawn on canvases: the screens, and what lies over them

// A colour as a picture holds it: red, green, blue and opacity from the low byte up
const number = ([r, g, b]) => (255 << 24 | b << 16 | g << 8 | r) >>> 0;
const tint = (a, b) => a.map((x, i) => Math.round(.35*x + .65*b[i]));
const colours = (four, far) => Uint32Array.from([...four, ...four.map(c => tint(c, far))].map(number));

// Console k of a moment, into a picture `wide` pixels wide, from pixel `at` on
const unpack = (k, h, w, data, goal, colour, out, at, wide) => {
  let p = k*h*w, g = goal.length*4 - h*w > 3 ? p : 0; // a goal of each console, or one for all
  for (let y = 0; y < h; y++, at += wide - w)
    for (let x = 0; x < w; x++, p++, g++, at++) {
      const shade = data[p >> 2] >> 2*(p & 3) & 3;
      const far = goal.length && shade != (goal[g >> 2] >> 2*(g & 3) & 3);
      out[at] = colour[far ? shade + 4 : shade];
    }
};

const bytes = b => b ? new Uint8Array(b.buffer ?? b, b.byteOffset ?? 0, b.byteLength) : new Uint8Array();

// What one canvas shows: some consoles in rows of `cols`
const sheet = (canvas, count, cols, h, w) => {
  const gap = count > 1 ? Math.max(2, Math.round(w/40)) : 0, rows = Math.ceil(count/cols);
  const wide = cols*(w + gap) - gap, high = rows*(h + gap) - gap;
  canvas.width = wide; canvas.height = high;
  const pen = canvas.getContext('2d'), image = pen.createImageData(wide, high);
  const out = new Uint32Array(image.data.buffer);
  const box = i => [i % cols*(w + gap), Math.floor(i/cols)*(h + gap)]; // left, top
  const paint = (first, data, goal, colour) => {
    for (let i = 0; i < count; i++) {
      const [x, y] = box(i);
      unpack(first + i, h, w, data, goal, colour, out, y*wide + x, wide);
    }
    pen.putImageData(image, 0, 0);
  };
  return {box, paint, wide, high, w, h, count, cols, rows};
};

const FRAME = '#f0642d', GOAL = '#2fb344';

const badge = (pen, x, y, size) => {
  pen.fillStyle = GOAL;
  pen.beginPath(); pen.arc(x, y, size, 0, 7); pen.fill();
  pen.strokeStyle = '#fff'; pen.lineWidth = size/4;
  pen.beginPath(); pen.moveTo(x - size*.45, y); pen.lineTo(x - size*.1, y + size*.4);
  pen.lineTo(x + size*.5, y - size*.4); pen.stroke();
};

const label = (pen, text, x, y, w, h) => {
  const size = w < 110 ? 9 : 11, high = size + 3;
  pen.font = `${size}px ui-monospace, Menlo, Consolas, monospace`;
  const letters = Math.floor((w - 4)/(size*.602));
  const lines = text.split('\n').slice(0, Math.floor((h - 8)/high));
  if (letters < 12 || !lines.length) return;
  const shown = lines.map(l => l.length > letters ? l.slice(0, letters - 1) + '…' : l);
  const wide = Math.max(...shown.map(l => pen.measureText(l).width)) + 6;
  pen.fillStyle = 'rgba(0,0,0,.62)';
  pen.fillRect(x, y, wide, shown.length*high + 2);
  pen.fillStyle = '#fff';
  shown.forEach((l, i) => pen.fillText(l, x + 3, y + size + 1 + i*high));
};

// Over `sheet`, which is shown `wide` pixels wide: what `moment` says of its consoles
const overlay = (canvas, sheet, wide, first, moment, picked) => {
  const k = wide/sheet.wide, sharp = devicePixelRatio || 1, pen = canvas.getContext('2d');
  const size = [Math.round(wide*sharp), Math.round(sheet.high*k*sharp)];
  if (canvas.width != size[0] || canvas.height != size[1]) [canvas.width, canvas.height] = size;
  pen.setTransform(sharp, 0, 0, sharp, 0, 0);
  pen.clearRect(0, 0, wide, sheet.high*k);
  for (let i = 0; i < sheet.count; i++) {
    const n = first + i, [x, y] = sheet.box(i).map(v => v*k), w = sheet.w*k, h = sheet.h*k;
    if (moment.text?.[n]) label(pen, moment.text[n], x, y, w, h);
    if (moment.bars) {
      const part = Math.min(1, Math.max(0, moment.bars[n])), high = Math.max(3, Math.min(6, h/16));
      pen.fillStyle = 'rgba(0,0,0,.55)';
      pen.fillRect(x, y + h - high, w, high);
      pen.fillStyle = `hsl(${Math.round(15 + 105*part)} 80% 50%)`;
      pen.fillRect(x, y + h - high, w*part, high);
    }
    if (moment.done?.[n]) {
      pen.strokeStyle = GOAL; pen.lineWidth = 2; pen.strokeRect(x + 1, y + 1, w - 2, h - 2);
      const size = Math.max(5, Math.min(11, h/7));
      badge(pen, x + w - size - 4, y + size + 4, size);
    }
    if (n == picked) {
      for (const [colour, thick] of [['#fff', 5], [FRAME, 3]]) {
        pen.strokeStyle = colour; pen.lineWidth = thick;
        pen.strokeRect(x + 1.5, y + 1.5, w - 3, h - 3);
      }
    }
  }
};
