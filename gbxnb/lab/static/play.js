// The focus of a pad: where it goes, and that no key of the pad is a shortcut of the notebook

export default {render({el}) {
  const inside = e => e.target.setAttribute('data-lm-suppress-shortcuts', 'true');
  const back = e => { // a click of the keyboard has no detail, and keeps its focus
    const screen = root.querySelector('.gbx-screens');
    if (e.detail && e.target.closest('button')) screen?.focus({preventScroll: true});
  };
  let root, frame;
  const wait = () => { // until the pad is in the page
    root = el.closest('.gbx-play');
    if (!root) return frame = requestAnimationFrame(wait);
    root.addEventListener('focusin', inside);
    root.addEventListener('click', back);
  };
  wait();
  return () => {
    cancelAnimationFrame(frame);
    root?.removeEventListener('focusin', inside);
    root?.removeEventListener('click', back);
  };
}};
