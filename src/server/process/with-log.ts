import { decisiveError } from '../../formats/logs/error-log.ts';
import { isRefusal } from '../../formats/logs/refusal.ts';
import { BenchbookError, sentenceOf } from '../../lib/errors.ts';
import { lastLines } from '../../lib/process/run-tool.ts';

/** The same error with the server's own decisive line in its sentence, and the log's tail among its evidence. */
export function withLog(error: unknown, log: string, evidence: Readonly<Record<string, string>> = {}): BenchbookError {
  const known =
    error instanceof BenchbookError ? error : new BenchbookError('server', sentenceOf(error), { cause: error });
  const line =
    known.code === 'interrupted' ? null : decisiveError(log, known.outcome === 'crashed' ? 'signal' : 'exit');
  const sentence = line === null ? known.message : `${known.message.replace(/\.$/, '')}: ${line}`;
  return new BenchbookError(known.code, sentence, {
    ...(known.hint === undefined ? {} : { hint: known.hint }),
    ...(known.outcome === undefined ? {} : { outcome: known.outcome }),
    repeats: known.outcome === 'failed' && line !== null && isRefusal(line),
    evidence: { ...known.evidence, ...evidence, 'error log': lastLines(log, 200) },
    cause: known.cause,
  });
}
