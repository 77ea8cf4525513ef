// A line that is there only while the kernel does not answer; stands behind life.js

export default {render({model, el}) {
  const line = document.createElement('div');
  line.className = 'gbx-pulse'; line.hidden = true;
  line.setAttribute('role', 'status');
  el.append(line);
  return life(model, line);
}};
