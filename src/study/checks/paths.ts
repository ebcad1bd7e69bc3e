import { resolve } from 'node:path';
import type { Dataset, LoadStep, ServerSource, Setup } from '../types.ts';

/** A server source whose relative paths are relative to the study's folder, as absolute paths; addresses stay as they are. */
export function sourceFrom<T extends ServerSource>(directory: string, source: T): T {
  const path = (given: string) => resolve(directory, given);
  switch (source.source) {
    case 'installed':
      return source.path === undefined ? source : { ...source, path: path(source.path) };
    case 'tarball':
      return isAddress(source.location) ? source : { ...source, location: path(source.location) };
    case 'debian':
      return source.keyring === undefined ? source : { ...source, keyring: path(source.keyring) };
    case 'git': {
      const { repository, patches } = source;
      return {
        ...source,
        repository: isAddress(repository) ? repository : path(repository),
        ...(patches === undefined ? {} : { patches: patches.map(path) }),
      };
    }
    default:
      return source;
  }
}

/** What `setup` returned, with all paths that it names relative to the study's folder. */
export function setupFrom(directory: string, setup: Setup): Setup {
  const { server, data } = setup;
  return {
    ...setup,
    server: sourceFrom(directory, server),
    ...(data === undefined ? {} : { data: datasetFrom(directory, data) }),
  };
}

/** The same for the files of a data set and the server that prepares it. */
function datasetFrom(directory: string, data: Dataset): Dataset {
  const { preparedBy, load } = data;
  return {
    ...data,
    load: load.map((step) => stepFrom(directory, step)),
    ...(preparedBy === undefined ? {} : { preparedBy: sourceFrom(directory, preparedBy) }),
  };
}

function stepFrom(directory: string, step: LoadStep): LoadStep {
  if (step.step === 'file' || step.step === 'script') return { ...step, file: resolve(directory, step.file) };
  return step.step === 'command' ? { ...step, cwd: directory } : step;
}

/** `https://…`, `git@host:path`: what is no path of this machine. */
function isAddress(text: string): boolean {
  return /^[a-z][\w+.-]*:\/\//i.test(text) || /^[^/]+:/.test(text);
}

/** Whether a value of a level is a server's source. */
export function isSource(value: unknown): value is ServerSource {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['installed', 'debian', 'tarball', 'git', 'external'].includes((value as { source?: string }).source ?? '')
  );
}
