import type { RunEvent } from '../run/events.ts';

/** Where progress is written; a terminal gets a live line, a log plain lines. */
interface Screen {
  readonly isTTY: boolean;
  readonly columns: number;
  write(text: string): void;
}

/**
 * Shows a run as it goes: on a terminal one live line with trials done and time left under the lines that stay, elsewhere plain lines.
 * The returned function takes every event of the run.
 */
export function progressOn(screen: Screen): (event: RunEvent) => void {
  let live = '';
  const say = (line: string): void => screen.write(`${live === '' ? '' : '\r\u001b[K'}${line}\n`);
  const show = (line: string): void => {
    if (!screen.isTTY) return;
    live = line.slice(0, Math.max(20, screen.columns - 1));
    screen.write(`\r\u001b[K${live}`);
  };
  const clear = (): void => {
    if (live !== '') screen.write('\r\u001b[K');
    live = '';
  };
  return (event) => {
    switch (event.type) {
      case 'run started': {
        const blocks =
          event.blocks.min === event.blocks.max ? `${event.blocks.max}` : `${event.blocks.min} to ${event.blocks.max}`;
        say(
          `${event.resumed ? 'continuing' : 'measuring'} ${event.variants} variants in ${blocks} blocks, ${event.total - event.done} trials to go, seed ${event.seed}`,
        );
        break;
      }
      case 'preparing':
        if (screen.isTTY) show(event.text);
        else say(event.text);
        break;
      case 'build resolved':
        say(`server: ${event.version}`);
        break;
      case 'trial phase':
        show(`block ${event.block}, ${cellText(event.cell)}: ${event.phase}`);
        break;
      case 'trial ended': {
        const values = Object.entries(event.values).slice(0, 2);
        const told = values.map(([metric, value]) => `${metric} ${value.toPrecision(4)}`).join(', ');
        const count =
          event.block === 0
            ? 'first start, not counted'
            : `${event.done}/${event.total}${timeLeft(event.remainingSeconds)}`;
        say(
          `${count}  ${cellText(event.cell)}  ${event.outcome === 'ok' ? told : `${event.outcome}: ${event.reason ?? ''}`}`,
        );
        break;
      }
      case 'note':
      case 'interrupted':
        say(event.text);
        break;
      case 'ended':
        clear();
        say(`${event.ok} of ${event.trials} trials ok${event.notOk > 0 ? `, ${event.notOk} not` : ''}`);
        break;
      case 'block started':
      case 'trial started':
        break;
    }
    if (event.type === 'interrupted') clear();
  };
}

function cellText(cell: Readonly<Record<string, unknown>>): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name} ${label}`)
    .join(', ');
}

function timeLeft(seconds: number | null): string {
  if (seconds === null || seconds < 1) return '';
  return seconds < 90 ? `, ${Math.round(seconds)} s left` : `, ${Math.round(seconds / 60)} min left`;
}
