// Keys of a widget that has the focus go to the kernel, and nowhere else

const keyboard = (model, node, move) => {
  const held = new Set();
  let sent = 0, heard = 0;
  const hear = () => { heard = performance.now() };
  const name = e => e.key.length == 1 ? e.key.toLowerCase() : e.key;
  const send = (key, down, repeat) => {
    sent = performance.now();
    model.send({type: 'key', key, down, repeat});
  };
  const press = e => {
    const key = name(e);
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (model.get('key_names').includes(key)) {
      const waits = sent > heard && performance.now() - sent < 250;
      if (!e.repeat || !waits) send(key, true, e.repeat);
      held.add(key);
    } else if (!move(key)) return;
    e.preventDefault(); e.stopPropagation();
  };
  const release = e => {
    if (!held.delete(name(e))) return;
    send(name(e), false, false);
    e.preventDefault(); e.stopPropagation();
  };
  const leave = () => { for (const key of held) send(key, false, false); held.clear() };
  node.setAttribute('data-lm-suppress-shortcuts', 'true');
  node.addEventListener('keydown', press);
  node.addEventListener('keyup', release);
  node.addEventListener('blur', leave);
  model.on('msg:custom', hear);
  return () => { leave(); model.off('msg:custom', hear) };
};
