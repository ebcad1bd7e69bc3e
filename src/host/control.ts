/** One thing asked of the machine, and what it has become; a `SettingRecord` of the journal. */
export interface Effective {
  /** "host.memoryLimit" and so on: the request's key with its room. */
  readonly name: string;
  readonly requested: string;
  readonly effective: string | null;
  readonly verdict: 'as requested' | 'adjusted' | 'without effect' | 'unknown' | 'not reported';
  readonly note?: string;
}

/** Something that a reader must know about a trial; a `Caution` of the journal. */
export interface HostCaution {
  readonly code: string;
  readonly sentence: string;
  readonly about?: string;
}

/** What came of one request. */
export interface ControlResult {
  readonly effective: readonly Effective[];
  readonly cautions?: readonly HostCaution[];
  /** Put before the server's own command line; it ends in `exec`, so that the process keeps its id. */
  readonly prefix?: readonly string[];
  /** Why the machine does not allow it: the variant is then not what its label says. */
  readonly refused?: string;
}

/** The result of a control that the machine does not allow. */
export function refuse(name: string, requested: string, reason: string, current: string | null = null): ControlResult {
  return {
    effective: [{ name, requested, effective: current, verdict: 'without effect', note: reason }],
    refused: `${name} ${requested}: ${reason}`,
  };
}

/** The result of a control of which both sides are known; equal texts are `as requested`. */
export function settled(name: string, requested: string, effective: string | null, note?: string): ControlResult {
  const verdict = effective === null ? 'unknown' : effective === requested ? 'as requested' : 'adjusted';
  return { effective: [{ name, requested, effective, verdict, ...(note === undefined ? {} : { note }) }] };
}
