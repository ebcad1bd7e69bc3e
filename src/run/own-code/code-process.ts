import { type ChildProcess, spawn } from 'node:child_process';
import { BenchbookError } from '../../lib/errors.ts';
import { killSession, register, registryDirectory } from '../../server/cache.ts';
import { studySeconds } from '../../study/call.ts';
import type { StudyBundle } from '../../study/study.ts';
import type { CodeError, FromCode, ToCode } from '../own-code-messages.ts';
import { deadline } from '../trial/limits.ts';

export interface CodeProcessRequest {
  /** The program that answers, as a file of this package. */
  readonly program: string;
  readonly bundle: StudyBundle;
  /** Below the folder of the trials, so that what runs there ends with this process however it ends. */
  readonly mark: string;
  readonly cacheDirectory: string;
  /** How long it may take until it has loaded the study. */
  readonly startSeconds?: number;
}

/** Node.js starts in seconds on a busy machine; the study's top level has a limit of its own besides. */
const START_SECONDS = 60;

/** A process that has loaded the study. One request at a time. */
export interface CodeProcess {
  readonly isAlive: boolean;
  /** The value, or the error; where the signal fires the process is killed, with all that it has started. */
  ask(request: ToCode, signal: AbortSignal): Promise<unknown>;
  /** Says something that is not answered. */
  tell(request: ToCode): void;
  kill(): Promise<void>;
}

/** Starts the process and waits until it has loaded the study. */
export async function startCodeProcess(request: CodeProcessRequest, signal: AbortSignal): Promise<CodeProcess> {
  const mark = `--trials=${request.mark}`;
  const registration = await register(registryDirectory(request.cacheDirectory), mark, []);
  const child = launch(request.program, mark);
  if (child.pid !== undefined) await registration.spawned(child.pid);
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('exit', (code, by) => resolve(by === null ? `exit code ${code}` : `signal ${by}`));
  });
  const gone = exited.then(async (how) => {
    // What it has started in its session ends with it.
    if (child.pid !== undefined) killSession(child.pid);
    await registration.done();
    return how;
  });
  let isAlive = true;
  void exited.then(() => {
    isAlive = false;
  });
  const kill = async () => {
    // Nothing else may keep the event loop alive: without this, the command could end while it waits for the child.
    child.ref();
    if (child.pid !== undefined && isAlive) killSession(child.pid);
    await gone;
  };
  const ask = async (message: ToCode, limit: AbortSignal) => {
    const onAbort = () => void kill();
    child.channel?.ref();
    try {
      limit.throwIfAborted();
      limit.addEventListener('abort', onAbort, { once: true });
      return await answer(child, message, exited);
    } catch (error) {
      limit.throwIfAborted();
      throw error;
    } finally {
      limit.removeEventListener('abort', onAbort);
      child.channel?.unref();
    }
  };
  const process: CodeProcess = {
    get isAlive() {
      return isAlive;
    },
    ask,
    tell: (message) => void (isAlive && child.connected && child.send(message, () => undefined)),
    kill,
  };
  const startSeconds = request.startSeconds ?? START_SECONDS + studySeconds();
  const limit = deadline(signal, startSeconds, "the start of the process for the study's own code");
  try {
    await ask({ type: 'load', bundle: request.bundle }, limit.signal);
  } catch (error) {
    await kill();
    throw error;
  } finally {
    limit.clear();
  }
  child.unref();
  return process;
}

function launch(program: string, mark: string): ChildProcess {
  return spawn(process.execPath, [program, mark], {
    // A session of its own: Ctrl-C reaches Benchbook alone, and all that the code starts can be found.
    detached: true,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
  });
}

/** The answer to one message; rejects where the process ends first. */
function answer(child: ChildProcess, message: ToCode, exited: Promise<string>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let stray: CodeError | undefined;
    const onMessage = (given: unknown) => {
      const from = given as FromCode;
      if (from.type === 'threw' && from.error.isStray) {
        // It ends itself now, and its end is the answer.
        stray = from.error;
        return;
      }
      child.off('message', onMessage);
      if (from.type === 'done') resolve(from.value);
      else reject(errorOf(from.error));
    };
    child.on('message', onMessage);
    void exited.then((how) => {
      child.off('message', onMessage);
      reject(stray === undefined ? endedItself(how) : errorOf(stray));
    });
    child.send(message, (error) => error !== null && reject(error));
  });
}

function endedItself(how: string): BenchbookError {
  return new BenchbookError('measure', `The study's own code ended its process (${how}).`, {
    hint: 'it must return its values, and not call process.exit',
  });
}

function errorOf({ message, isLost, isOurs, isStray, outcome, hint, place }: CodeError): BenchbookError {
  const what = isStray ? "The study's own code threw where nothing awaits it" : "The study's own code threw";
  return new BenchbookError('measure', isOurs ? message : `${what}: ${message}`, {
    ...(outcome === undefined ? {} : { outcome }),
    ...(hint === undefined ? {} : { hint }),
    place,
    ...(isLost ? { cause: Object.assign(new Error(message), { code: 'PROTOCOL_CONNECTION_LOST' }) } : {}),
  });
}
