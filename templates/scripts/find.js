// Search in the whole report, rows of some variants only, and the rows behind a number.
(() => {
  const { make } = globalThis.benchbookTip;
  const main = document.getElementById('main');
  const factors = JSON.parse(document.getElementById('benchbook-factors').textContent);
  const chosen = new Map();
  let own = null;

  const panel = make('search', { class: 'find', 'aria-label': 'Search and filter' });
  const status = make('p', { class: 'find-status', role: 'status' });
  panel.append(searchField(), ...filterFields(), status);
  place();
  matchMedia('(min-width: 72rem)').addEventListener('change', place);
  main.addEventListener('click', leadToRows);

  /** In the column beside the text where there is one, else above the contents. */
  function place() {
    const side = document.querySelector('.side');
    if (matchMedia('(min-width: 72rem)').matches) side.prepend(panel);
    else document.querySelector('.contents-fold').before(panel);
  }

  function searchField() {
    const field = make('input', {
      type: 'search',
      placeholder: 'Search this report',
      'aria-label': 'Search this report',
    });
    const hits = make('ul', { class: 'find-hits' });
    const holder = make('div', {});
    holder.append(field, hits);
    let index = null;
    let waiting = 0;
    field.addEventListener('input', () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => {
        index ??= indexOf();
        list(field.value.trim().toLowerCase());
      }, 120);
    });
    field.addEventListener('keydown', (event) => {
      if (event.key !== 'Enter') return;
      event.preventDefault();
      hits.querySelector('button')?.click();
    });

    function list(wanted) {
      hits.replaceChildren();
      if (wanted.length < 2) {
        status.textContent = '';
        return;
      }
      const found = index.filter(({ lower }) => lower.includes(wanted));
      status.textContent = `${found.length} ${found.length === 1 ? 'place' : 'places'}${found.length > 30 ? ', the first 30 listed' : ''}`;
      for (const { element, text, lower } of found.slice(0, 30)) {
        const at = lower.indexOf(wanted);
        const button = make('button', { type: 'button', class: 'tool' });
        button.append(
          text.slice(Math.max(0, at - 24), at),
          make('mark', {}, text.slice(at, at + wanted.length)),
          text.slice(at + wanted.length, at + wanted.length + 40),
        );
        button.addEventListener('click', () => show(element));
        const line = make('li', {});
        line.append(button);
        hits.append(line);
      }
    }
    return holder;
  }

  /** The texts of the page, a row of a table as one. */
  function indexOf() {
    const wanted = 'h1, h2, h3, p, li, dt, dd, pre, tr, summary, figcaption';
    return [...main.querySelectorAll(wanted)].flatMap((element) => {
      if (element.closest('script, svg, .visually-hidden') || element.querySelector('p, li, tr, pre')) return [];
      const cells = element.tagName === 'TR' ? [...element.cells].map((cell) => cell.textContent.trim()) : null;
      const text = (cells === null ? element.textContent : cells.join(' · ')).replace(/\s+/g, ' ').trim();
      return text === '' ? [] : [{ element, text, lower: text.toLowerCase() }];
    });
  }

  function show(element) {
    for (let at = element; at; at = at.parentElement) if (at.tagName === 'DETAILS') at.open = true;
    for (const before of document.querySelectorAll('.found')) before.classList.remove('found');
    element.classList.add('found');
    element.tabIndex = -1;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: 'center' });
  }

  function filterFields() {
    const varied = Object.entries(factors).filter(([, levels]) => Object.keys(levels).length > 1);
    if (varied.length === 0) return [];
    const group = make('fieldset', { class: 'find-filter' });
    group.append(make('legend', {}, 'Rows shown'));
    for (const [name, levels] of varied) {
      const label = make('label', {}, `${name} `);
      const select = make('select', {});
      select.append(make('option', { value: '' }, 'all'));
      for (const [level, shown] of Object.entries(levels)) select.append(make('option', { value: level }, shown));
      select.addEventListener('change', () => {
        if (select.value === '') chosen.delete(name);
        else chosen.set(name, select.value);
        update();
      });
      label.append(select);
      group.append(label);
    }
    return [group];
  }

  /** Hides the rows of other levels in every table that has a column for the factor. */
  function update() {
    let hidden = 0;
    for (const table of main.querySelectorAll('table.grid')) {
      const columns = columnsOf(table);
      for (const row of table.tBodies[0]?.rows ?? []) {
        const isOther = [...chosen].some(
          ([name, level]) => columns.has(name) && !isLevel(row, columns.get(name), level),
        );
        const isForeign = own?.table === table && !own.rows.has(row);
        row.hidden = isOther || isForeign;
        hidden += row.hidden ? 1 : 0;
      }
    }
    status.textContent = hidden === 0 ? '' : `${hidden} rows are hidden`;
  }

  function columnsOf(table) {
    const heads = [...(table.tHead?.rows[0].cells ?? [])];
    return new Map(
      heads.flatMap((head, index) =>
        head.dataset.factor in factors ? [[head.dataset.factor, { name: head.dataset.factor, index }]] : [],
      ),
    );
  }

  /** Whether a row has a level: its cell holds the level, or the level with the version that ran. */
  function isLevel(row, { name, index }, level) {
    const text = row.cells[index].textContent.trim();
    return text === level || text === factors[name][level];
  }

  /** A number leads to its samples: of their table, only its own rows stay. */
  function leadToRows(event) {
    const link = event.target.closest?.('a.value[data-cell]');
    if (!link?.hash) return;
    const heading = document.getElementById(link.hash.slice(1));
    const table = heading && tableAfter(heading);
    if (!table) return;
    const cells = link.dataset.cell.split(' against ').map(cellOf);
    const columns = columnsOf(table);
    const isOwn = (row) =>
      cells.some((cell) =>
        Object.entries(cell).every(([name, level]) => !columns.has(name) || isLevel(row, columns.get(name), level)),
      );
    const all = [...table.tBodies[0].rows];
    const rows = new Set(all.filter(isOwn));
    if (rows.size === 0) return;
    document.querySelector('.find-own')?.remove();
    own = { table, rows };
    const note = make(
      'p',
      { class: 'figure-note find-own' },
      `${rows.size} of ${all.length} rows: those behind ${link.textContent}. `,
    );
    const reset = make('button', { type: 'button', class: 'tool' }, 'Show all rows');
    reset.addEventListener('click', () => {
      own = null;
      note.remove();
      update();
    });
    note.append(reset);
    table.before(note);
    update();
  }

  /** "server 10.11, pool 1G" as levels by factor. */
  function cellOf(text) {
    const named = Object.entries(factors).flatMap(([name, levels]) => {
      const level = Object.keys(levels).find((each) => `, ${text}, `.includes(`, ${name} ${each}, `));
      return level === undefined ? [] : [[name, level]];
    });
    return Object.fromEntries(named);
  }

  function tableAfter(heading) {
    for (let at = heading.nextElementSibling; at && !/^H[23]$/.test(at.tagName); at = at.nextElementSibling) {
      const table = at.matches('table.grid') ? at : at.querySelector('table.grid');
      if (table) return table;
    }
    return null;
  }
})();
