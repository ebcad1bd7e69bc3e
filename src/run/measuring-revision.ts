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
 */
export const MEASURING_REVISION: number = 2;

/** The revision of journals written before there were revisions: neither their keys nor their entries name it. */
export const FIRST_REVISION = 1;
