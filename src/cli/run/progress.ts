import { count, formatValue } from '../../lib/units.ts';
import { givenUpText, type RunEvent, type ShownValue } from '../../run/events.ts';

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
  const printed = new Set<string>();
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
        const blocks = `${event.blocks.min === event.blocks.max ? '' : `${event.blocks.min} to `}${count(event.blocks.max, 'block')}`;
        say(
          `${event.resumed ? 'continuing' : 'measuring'} ${count(event.variants, 'variant')} in ${blocks}, ${count(event.total - event.done, 'trial')} to go, seed ${event.seed}`,
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
      case 'variant decided':
        if (event.kept > 0 || event.reason !== '') say(`${cellText(event.cell)}: ${reuseText(event)}`);
        break;
      case 'trial phase':
        show(`block ${event.block}, ${cellText(event.cell)}: ${event.phase}`);
        break;
      case 'trial ended': {
        const values = event.values.slice(0, 2).map(valueText).join(', ');
        const count =
          event.block === 0
            ? 'first start, not counted'
            : `${event.done}/${event.total}${timeLeft(event.remainingSeconds)}`;
        say(`${count}  ${cellText(event.cell)}  ${event.outcome === 'ok' ? values : failureText(event, printed)}`);
        for (const { code, sentence } of event.cautions) if (code === 'kept-files') say(`  ${sentence}`);
        break;
      }
      case 'note':
      case 'interrupted':
        say(event.text);
        break;
      case 'ended':
        clear();
        say(
          `${event.ok} of ${count(event.trials, 'trial')} ok${event.notOk > 0 ? `, ${event.notOk} not` : ''}${event.lacking > 0 ? `, ${event.lacking} skipped: the machine or the build lacks something` : ''}`,
        );
        break;
      case 'block started':
      case 'trial started':
        break;
    }
    if (event.type === 'interrupted') clear();
  };
}

/** "2 kept, 4 to measure: …", "nothing to measure: …", "6 to measure: not measured yet". */
function reuseText({ kept, toMeasure, reason }: Extract<RunEvent, { type: 'variant decided' }>): string {
  const counts = [...(kept > 0 ? [`${kept} kept`] : []), ...(toMeasure > 0 ? [`${toMeasure} to measure`] : [])];
  return [counts.join(', ') || 'nothing to measure', reason].filter((part) => part !== '').join(': ');
}

/** A reason in full where it is new. A cause is printed once, even if it fails or skips many trials. */
function failureText(
  { outcome, reason = '', givenUpAfter }: Extract<RunEvent, { type: 'trial ended' }>,
  printed: Set<string>,
): string {
  // The reason of a variant that is given up repeats that of its last trial, which was printed already.
  const own = givenUpAfter === undefined ? reason : givenUpText(givenUpAfter);
  const text = `${outcome}: ${own}`;
  if (printed.has(text)) return `${outcome}, as above`;
  printed.add(text);
  return text;
}

/** Every event of a run as one line of JSON, for machines. */
export function eventsAsJson(write: (text: string) => void): (event: RunEvent) => void {
  return (event) => write(`${JSON.stringify(event)}\n`);
}

/** "insert.written 504 MiB", "load.tps 1200/s at threads 4". */
function valueText({ metric, value, unit, within }: ShownValue): string {
  return `${metric} ${formatValue(value, unit, { digits: 4 })}${within === undefined ? '' : ` at ${cellText(within)}`}`;
}

/** A cell for terminals: `pool 128M, server 10.5`. */
function cellText(cell: Readonly<Record<string, unknown>>): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name} ${label}`)
    .join(', ');
}

/** A cell as `--only` takes it: `pool=128M server=10.5`. */
export function cellLine(cell: Readonly<Record<string, unknown>>): string {
  return Object.entries(cell)
    .map(([name, label]) => `${name}=${label}`)
    .join(' ');
}

/** Seconds for people: "40 s", "12 min", "3.5 h". */
export function duration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function timeLeft(seconds: number | null): string {
  return seconds === null || seconds < 1 ? '' : `, ${duration(seconds)} left`;
}
