import { Command, CommanderError } from 'commander';
import { FORMAT_NAMES } from '../../render/formats.ts';
import { EXIT, exitCodeOf, explain } from './exit.ts';
import { endWith, guardOutput } from './output.ts';
import { TOOL_VERSION } from './version.ts';

// Errors name the lines of the study and not of its bundle.
process.setSourceMapsEnabled(true);

const program = new Command('benchbook')
  .description('Reproducible reports of database performance studies on real servers.')
  .version(TOOL_VERSION)
  .showHelpAfterError('(benchbook --help lists the commands)')
  .exitOverride();

let exitCode: number = EXIT.done;
// Each command loads what it needs: `list` must not wait for a chart library.
const action =
  <A extends unknown[]>(load: () => Promise<(...args: A) => Promise<number>>) =>
  async (...args: A): Promise<void> => {
    exitCode = await (await load())(...args);
  };

program
  .command('list')
  .description('studies and their runs')
  .option('--json', 'for machines')
  .action(action(async () => (await import('../commands/list.ts')).list));
program
  .command('plan')
  .argument('<study>', 'a study file, or its name in studies/')
  .description('variants, order and exclusions; runs nothing')
  .option('--seed <n>', 'seed of the order')
  .option('--profile <name>', 'a smaller or greater version that the study declares')
  .option('--only <factor=level...>', 'only these levels')
  .option('--blocks <n>', 'how many blocks')
  .option('--json', 'for machines')
  .action(action(async () => (await import('../commands/plan.ts')).plan));
program
  .command('run')
  .argument('<study>', 'a study file, or its name in studies/')
  .description('measure what is missing, then render')
  .option('--seed <n>', 'seed of the order')
  .option('--profile <name>', 'a smaller or greater version that the study declares')
  .option('--only <factor=level...>', 'only these levels')
  .option('--blocks <n>', 'how many blocks')
  .option('--fresh', 'measure everything again')
  .option('--retry-failed', 'try the trials again that did not end ok, and keep all others')
  .option('--keep <what>', 'data, core or data,core of a server that crashes, hangs or runs out of time')
  .option('--shard <i/n>', 'whole blocks i, i + n, … only')
  .option('--force', 'measure although another run measures on this machine')
  .option('--format <list>', `reports to make at the end: ${FORMAT_NAMES}`)
  .option('--json', 'events as JSON lines')
  .option('--check', 'exit 3 where a claim is not as its kind wants it')
  .action(action(async () => (await import('../commands/run.ts')).run));
program
  .command('rerun')
  .argument('<run>', "a run's folder, a study's name (its latest run), or study@run-id")
  .description('the same plan and seed with another server at one level')
  .requiredOption(
    '--replace <factor.level=source>',
    'the level, and debian:SUITE, installed:PATH, tarball:PATH or git:REPOSITORY@REF in its place',
    (value: string, before: readonly string[] = []) => [...before, value],
  )
  .option('--against-old', 'measure the replaced server again beside the new one, not the baseline alone')
  .option('--keep <what>', 'data, core or data,core of a server that crashes, hangs or runs out of time')
  .option('--fresh', 'measure everything again')
  .option('--force', 'measure although another run measures on this machine')
  .option('--format <list>', `reports to make at the end: ${FORMAT_NAMES}`)
  .option('--check', 'exit 3 where a claim is not as its kind wants it')
  .action(action(async () => (await import('../commands/rerun.ts')).rerun));
program
  .command('compare')
  .argument('<before>', "a run's folder, a study's name (its latest run), or study@run-id")
  .argument('<after>', 'the run to compare it with')
  .description('before and after, with a verdict per metric and claim')
  .option('--match <before=after...>', 'levels that stand for each other: 10.5=11.8, or server.10.5=11.8')
  .option('--format <list>', FORMAT_NAMES)
  .option('--out <dir>', 'where the files go (below output/compare)')
  .option('--json', 'for machines')
  .option('--check', 'exit 3 where a claim is not as its kind wants it, or a metric got worse beyond the threshold')
  .action(action(async () => (await import('../commands/compare.ts')).compare));
program
  .command('render')
  .argument('<run>', "a run's folder, a study's name (its latest run), or study@run-id")
  .description("the report again, with the study's prose as it stands now")
  .option('--format <list>', FORMAT_NAMES)
  .option('--cut <length>', 'full, or short: two to three pages, or a comment of a ticket')
  .option('--link <url>', 'where the full report is, for the short one (the file beside it)')
  .option('--out <dir>', 'where the files go (the run folder)')
  .option('--study <file>', 'the study whose prose it takes (the file that the run was made from)')
  .option('--static', 'HTML without any script (with --out)')
  .option('--paper <size>', 'A4 or Letter')
  .option('--front-matter <kind>', 'of the Markdown: hugo, jekyll or none')
  .option('--templates <dir>', 'templates and styles of your own (with --out)')
  .action(action(async () => (await import('../commands/render.ts')).renderCommand));
program
  .command('merge')
  .argument('<run...>', 'shards of one plan')
  .description('shards of a run, from one or several machines, as one run')
  .action(action(async () => (await import('../commands/merge.ts')).merge));
program
  .command('verify')
  .argument('<run>', "a run's folder, a study's name (its latest run), or study@run-id")
  .description('journal intact? report reproducible from it?')
  .option('--no-pdf', 'leave the PDF out, which takes some seconds to print')
  .action(action(async () => (await import('../commands/verify.ts')).verify));
const servers = program.command('servers').description('builds on this machine; get, remove');
servers
  .command('list', { isDefault: true })
  .description('builds in the cache')
  .option('--json', 'for machines')
  .action(action(async () => (await import('../commands/servers.ts')).serversList));
servers
  .command('get')
  .argument('<source>', 'debian:SUITE, installed:PATH, tarball:PATH, git:REPOSITORY@REF')
  .description('fetch or build one')
  .action(action(async () => (await import('../commands/servers.ts')).serversGet));
servers
  .command('remove')
  .argument('<id>', 'id or version')
  .description('with all that was prepared for it')
  .action(action(async () => (await import('../commands/servers.ts')).serversRemove));
program
  .command('bundle')
  .argument('<run>', "a run's folder, a study's name (its latest run), or study@run-id")
  .description('one file for a ticket: report, data, logs, and a script that needs no Benchbook')
  .option('--max-size <size>', 'leave the least important out until it fits: 10MB')
  .option('--redact', 'replace names of people and machines, addresses and paths')
  .option('--out <path>', 'a folder, or the name of the .zip (beside the run)')
  .action(action(async () => (await import('../commands/bundle.ts')).bundle));
program
  .command('doctor')
  .description('what this machine offers and lacks, and how to get it')
  .option('--json', 'for machines')
  .action(action(async () => (await import('../commands/doctor.ts')).doctor));

guardOutput();
try {
  await program.parseAsync();
} catch (thrown) {
  if (thrown instanceof CommanderError) {
    exitCode = thrown.exitCode === 0 ? EXIT.done : EXIT.wrongUse;
  } else {
    console.error(explain(thrown));
    exitCode = exitCodeOf(thrown);
  }
}
endWith(exitCode);
