// What a report can do with script on; without it everything is still there to read.
(() => {
  const make = (tag, attributes, text) => {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    if (text !== undefined) element.textContent = text;
    return element;
  };

  markCurrentSection();
  openTargetOfLink();
  for (const table of document.querySelectorAll('table.grid')) makeSortable(table);
  for (const table of document.querySelectorAll('table.grid')) walkNumbers(table);
  for (const pre of document.querySelectorAll('pre.code')) addCopyButton(pre);
  for (const figure of document.querySelectorAll('figure.figure')) addEnlarge(figure);
  answerHover();
  for (const button of document.querySelectorAll('button[data-packed]')) offerDownload(button);
  document.fonts.ready.then(() => benchbookSayMissing(benchbookMissing(document.getElementById('main'))));

  function markCurrentSection() {
    const links = new Map(
      [...document.querySelectorAll('.side .contents a')].map((link) => [link.hash.slice(1), link]),
    );
    const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
    const update = () => {
      const passed = headings.filter((heading) => heading.getBoundingClientRect().top < 120);
      const current = passed[passed.length - 1] ?? headings[0];
      for (const [id, link] of links) {
        if (current && id === current.id) link.setAttribute('aria-current', 'true');
        else link.removeAttribute('aria-current');
      }
    };
    let waiting = false;
    addEventListener(
      'scroll',
      () => {
        if (waiting) return;
        waiting = true;
        requestAnimationFrame(() => {
          waiting = false;
          update();
        });
      },
      { passive: true },
    );
    update();
  }

  /** A link into a folded part opens it. */
  function openTargetOfLink() {
    const open = () => {
      let target = null;
      try {
        target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
      } catch {
        return;
      }
      for (let at = target; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
      target?.scrollIntoView();
    };
    addEventListener('hashchange', open);
    if (location.hash) open();
  }

  function makeSortable(table) {
    const body = table.tBodies[0];
    if (!body || body.rows.length < 3) return;
    const original = [...body.rows];
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      const button = make('button', { type: 'button', class: 'sort' });
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const next = { none: 'ascending', ascending: 'descending', descending: 'none' }[head.ariaSort ?? 'none'];
        for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
        if (next !== 'none') head.setAttribute('aria-sort', next);
        body.append(...(next === 'none' ? original : sorted(original, column, next === 'ascending' ? 1 : -1)));
      });
    });
  }

  /** Where a table holds many numbers that lead to their samples, Tab stops at one and the arrow keys go on from there. */
  function walkNumbers(table) {
    const links = [...table.querySelectorAll('a.value')];
    if (links.length <= 6) return;
    const stopAt = (link) => {
      for (const other of links) other.tabIndex = other === link ? 0 : -1;
    };
    stopAt(links[0]);
    table.addEventListener('focusin', (event) => {
      if (links.includes(event.target)) stopAt(event.target);
    });
    table.addEventListener('keydown', (event) => {
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      const order = [...table.querySelectorAll('a.value')];
      const next = order[order.indexOf(event.target) + step];
      if (step === undefined || !order.includes(event.target) || !next) return;
      event.preventDefault();
      next.focus();
    });
  }

  /** Numbers by size, texts by natural order, missing values last; equal rows keep their order. */
  function sorted(rows, column, sign) {
    const collator = new Intl.Collator('en', { numeric: true });
    const keyed = rows.map((row) => {
      const text = row.cells[column].textContent.trim();
      const number = Number(text.replace(/[,\s]/g, '').replace('−', '-'));
      return { row, text, number: text === '' ? Number.NaN : number };
    });
    const isMissing = (key) => key.text === '' || key.text === '–';
    keyed.sort((a, b) => {
      if (isMissing(a) || isMissing(b)) return Number(isMissing(a)) - Number(isMissing(b));
      if (!Number.isNaN(a.number) && !Number.isNaN(b.number)) return sign * (a.number - b.number);
      return sign * collator.compare(a.text, b.text);
    });
    return keyed.map((key) => key.row);
  }

  function addCopyButton(pre) {
    const button = make('button', { type: 'button', class: 'copy' }, 'Copy');
    const holder = make('div', { class: 'copy-holder' });
    pre.before(holder);
    holder.append(pre, button);
    button.addEventListener('click', async () => {
      let done = false;
      try {
        await navigator.clipboard.writeText(pre.textContent);
        done = true;
      } catch {
        // From file:// some browsers have no clipboard: select the text, so that one key copies it.
        getSelection().selectAllChildren(pre);
      }
      button.textContent = done ? 'Copied' : 'Selected';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
  }

  function addEnlarge(figure) {
    const picture = figure.querySelector('.plot-wide svg');
    if (!picture) return;
    const button = make('button', { type: 'button', class: 'tool' }, 'Enlarge');
    toolsOf(figure).append(button);
    button.addEventListener('click', () => {
      const dialog = make('dialog', {
        class: 'large',
        'aria-label': figure.querySelector('.figure-title').textContent,
      });
      const close = make('button', { type: 'button', class: 'tool' }, 'Close');
      const copy = picture.cloneNode(true);
      // Ids must stay unique on the page.
      for (const element of copy.querySelectorAll('[id]')) element.id = `large-${element.id}`;
      for (const element of copy.querySelectorAll('[clip-path]')) {
        element.setAttribute('clip-path', element.getAttribute('clip-path').replace('#', '#large-'));
      }
      dialog.append(close, figure.querySelector('.figure-title').cloneNode(true), copy);
      document.body.append(dialog);
      close.addEventListener('click', () => dialog.close());
      dialog.addEventListener('close', () => {
        dialog.remove();
        button.focus();
      });
      dialog.showModal();
    });
  }

  function toolsOf(figure) {
    let tools = figure.querySelector('.tools');
    if (!tools) {
      tools = make('div', { class: 'tools' });
      figure.querySelector('.figure-foot').before(tools);
    }
    return tools;
  }

  /** Marks carry what they show in `data-tip`, numbers in tables where they come from in `data-note`. */
  function answerHover() {
    const tip = make('div', { class: 'tip', role: 'status', hidden: '' });
    document.body.append(tip);
    const show = (text, x, y) => {
      tip.textContent = text.replaceAll('; ', '\n');
      tip.hidden = false;
      // In a modal dialog only what is inside it can be seen.
      (document.querySelector('dialog[open]') ?? document.body).append(tip);
      const box = tip.getBoundingClientRect();
      tip.style.left = `${Math.max(4, Math.min(x + 14, innerWidth - box.width - 8))}px`;
      tip.style.top = `${y + 18 + box.height > innerHeight ? y - box.height - 10 : y + 18}px`;
    };
    addEventListener('pointermove', (event) => {
      const mark = event.target instanceof Element ? event.target.closest('[data-tip], .grid a.value') : null;
      if (mark) show(mark.dataset.tip ?? mark.dataset.note, event.clientX, event.clientY);
      else if (!tip.dataset.live) tip.hidden = true;
    });
    addEventListener('focusin', ({ target }) => {
      if (!target.matches('.grid a.value:focus-visible')) return;
      const { left, bottom } = target.getBoundingClientRect();
      show(target.dataset.note, left, bottom - 12);
    });
    addEventListener('focusout', ({ target }) => {
      if (target.matches('.grid a.value')) tip.hidden = true;
    });
    globalThis.benchbookTip = { show, hide: () => (tip.hidden = true), toolsOf, make };
  }

  /** Raw data lie gzipped in the page: unpack and hand them over as a file. */
  function offerDownload(button) {
    if (!('DecompressionStream' in globalThis)) return;
    button.hidden = false;
    button.addEventListener('click', async () => {
      const packed = document.getElementById(button.dataset.packed).textContent.trim();
      const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
      const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
      const url = URL.createObjectURL(await new Response(stream).blob());
      const link = make('a', { href: url, download: button.dataset.name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(url), 10_000);
    });
  }
})();
