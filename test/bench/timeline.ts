// What a time line costs: CPU time of this process and of the server over SLEEP(10), without and with it. Run by hand:
// npx tsx test/bench/timeline.ts

import { cpuTimeOf } from '../../src/lib/process/proc.ts';
import { measure } from '../../src/measure/measure.ts';
import { startTrial } from '../measure/trial.ts';

const trial = await startTrial({ innodb_buffer_pool_size: '128M' });
try {
  const sleep = measure.query('SELECT SLEEP(10) AS s', { iterations: 0 });
  const process100 = ['rss', 'cpu', 'read', 'written', 'deviceRead', 'deviceWritten', 'deviceBusy'] as const;
  const lines = {
    'no time line': sleep,
    'process at 100 ms': measure.around(sleep, [measure.timeline(process100)]),
    'process at 50 ms': measure.around(sleep, [measure.timeline(process100, { intervalMs: 50 })]),
    'process and 3 status counters at 100 ms': measure.around(sleep, [
      measure.timeline([...process100, 'Innodb_pages_read', 'Innodb_data_reads', 'Threads_running']),
    ]),
  };
  for (const [name, measurement] of Object.entries(lines)) {
    const own = process.cpuUsage();
    const server = cpuTimeOf(trial.context.running!.pid);
    const taken = await trial.take(measurement);
    const used = process.cpuUsage(own);
    const serverNow = cpuTimeOf(trial.context.running!.pid);
    const ofServer = serverNow.userSeconds + serverNow.systemSeconds - server.userSeconds - server.systemSeconds;
    const told = trial.values(taken, 'm.timelineCost')?.[0];
    const cost = told === undefined ? '' : `, by its own account ${(told * 100).toFixed(2)} %`;
    const share = ((used.user + used.system) / 1e6 / 10) * 100;
    console.log(`${name}: this process ${share.toFixed(2)} % of a core${cost}; server ${(ofServer * 10).toFixed(2)} %`);
  }
} finally {
  await trial.end();
}
