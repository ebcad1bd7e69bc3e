// Charts to explore: vega draws them anew on demand, with zoom, pan and a legend that picks. Vega and its interpreter come before this.
(() => {
  const { make, toolsOf, show, hide } = globalThis.benchbookTip;
  if (!('DecompressionStream' in globalThis)) return;
  const holder = document.getElementById('benchbook-specs');
  const specs = JSON.parse(holder.textContent);
  for (const [id, spec] of Object.entries(specs)) addExplore(document.getElementById(id), spec);

  function addExplore(figure, spec) {
    if (!figure) return;
    const button = make('button', { type: 'button', class: 'tool', 'aria-pressed': 'false' }, 'Explore');
    const hint = make('span', { class: 'tool-hint', hidden: '' }, spec.hint);
    toolsOf(figure).append(button, hint);
    const plot = figure.querySelector('.plot');
    let view = null;
    const place = make('div', { class: 'plot-live' });
    let drawn = null;
    button.addEventListener('click', async () => {
      drawn ??= await unpack(spec.packed);
      const open = view === null;
      button.setAttribute('aria-pressed', String(open));
      hint.hidden = !open;
      plot.hidden = open;
      if (!open) {
        view.finalize();
        view = null;
        place.remove();
        hide();
        return;
      }
      plot.after(place);
      view = new vega.View(vega.parse(drawn, undefined, { ast: true }), {
        renderer: 'svg',
        container: place,
        hover: true,
        expr: vegaInterpreter,
        loader: { load: refuse, sanitize: refuse },
        tooltip: (_handler, event, _item, value) => {
          if (value === null || value === undefined || value === '') hide();
          else show(typeof value === 'object' ? lines(value) : String(value), event.clientX, event.clientY);
        },
      });
      if (spec.panels === 1) view.width(place.clientWidth);
      await view.runAsync();
      place.querySelector('svg')?.setAttribute('aria-label', figure.querySelector('.visually-hidden').textContent);
    });
  }

  async function unpack(packed) {
    const bytes = Uint8Array.from(atob(packed), (character) => character.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return JSON.parse(await new Response(stream).text());
  }

  function lines(value) {
    return Object.entries(value)
      .map(([name, text]) => `${name}: ${text}`)
      .join('; ');
  }

  function refuse() {
    return Promise.reject(new Error('a report loads nothing'));
  }
})();
