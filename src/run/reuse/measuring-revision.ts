/**
 * The revision of how Benchbook measures: part of every trial's key, so that samples taken another way are measured again.
 *
 * Raise it by one when a change makes the same study on the same server and machine give other numbers: what a metric counts or
 * where its clock starts and stops; what is run before, beside or after a measurement (copying, cache state, idle wait, probes,
 * statements, connection settings); options or environment that every server is started with. Not for new measurements or
 * metrics, wording, speed elsewhere, or a release: those keep samples.
 *
 * 1: as at first; journals that name no revision are of this one.
 * 2: `host.pageCache` is brought about before every start of a trial's server, not before the first alone.
 * 3: `analyze` reads every table of a plan of MariaDB 10.5, adds the time of join buffers to `otherTime`, and the time of subqueries
 *    that MySQL prints beside the root to `time`; `sysbench` takes no latency from intervals without a transaction;
 *    `innodbStatus.bufferPoolBytes` is the size of the pool's pages.
 */
export const MEASURING_REVISION: number = 3;

/** The revision of journals written before there were revisions: neither their keys nor their entries name it. */
export const FIRST_REVISION = 1;
