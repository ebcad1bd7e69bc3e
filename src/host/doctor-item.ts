import { isRoot } from './tools.ts';

/** One thing that the machine offers or lacks. */
export interface DoctorItem {
  readonly name: string;
  readonly state: 'works' | 'limited' | 'missing';
  /** What was found, in one clause. */
  readonly detail: string;
  /** The one command that would enable it. */
  readonly mend?: string;
}

/** The command that installs a Debian package. */
export function install(debian: string): string {
  return `${isRoot() ? '' : 'sudo '}apt-get install ${debian}`;
}
