// Which characters of a page no font here can show: readers would see boxes and could not say which characters they are.
globalThis.benchbookMissing = (root) => {
  const found = new Set(root.textContent.match(/[^\u0000-\u00ff\p{M}\p{Cf}\p{Cc}\p{Z}\p{Co}]/gu) ?? []);
  if (found.size === 0) return [];
  const canvas = document.createElement('canvas');
  canvas.width = 40;
  canvas.height = 40;
  const context = canvas.getContext('2d', { willReadFrequently: true });
  const font = getComputedStyle(root).fontFamily;
  const drawn = (character) => {
    context.clearRect(0, 0, 40, 40);
    context.font = `24px ${font}`;
    context.fillText(character, 4, 30);
    return context.getImageData(0, 0, 40, 40).data.join();
  };
  // A code point that Unicode has not given to any character: what is drawn for it is the box.
  const box = drawn('\u0378');
  return [...found].filter((character) => drawn(character) === box);
};

globalThis.benchbookSayMissing = (missing) => {
  if (missing.length === 0) return;
  const names = missing.map((character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`);
  const note = document.createElement('p');
  note.className = 'callout callout-caution missing-glyphs';
  const more = names.length > 40 ? ` and ${names.length - 40} more` : '';
  note.textContent = `Caution: no font here has ${names.length === 1 ? 'this character' : `these ${names.length} characters`} of the report, and a box stands in ${names.length === 1 ? 'its place' : 'their places'}: ${names.slice(0, 40).join(', ')}${more}.`;
  document.querySelector('.masthead, h1').after(note);
};
