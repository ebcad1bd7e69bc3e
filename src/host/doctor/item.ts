import { isRoot } from '../tools.ts';

/** One thing that the machine offers or lacks. */
export interface DoctorItem {
  readonly name: string;
  readonly state: 'works' | 'limited' | 'missing';
  /** What was found, in one clause. */
  readonly detail: string;
  /** The one command that would enable it. */
  readonly fix?: string;
}

/** The command that installs a Debian package. */
export function install(debian: string): string {
  return `${isRoot() ? '' : 'sudo '}apt-get install ${debian}`;
}

/** The command that runs a study with the rights it needs; undefined for root, to whom no command helps within a container. */
export function asRoot(): string | undefined {
  return isRoot() ? undefined : 'sudo npx benchbook run STUDY';
}

/** The part of an item that names its fix, where there is one. */
export function fixOf(command: string | undefined): Pick<DoctorItem, 'fix'> {
  return command === undefined ? {} : { fix: command };
}
