import type { Draft } from '../../draft/types.ts';
import { familyOf } from '../../families/families.ts';
import type { HostEntry, ServerEntry } from '../../journal/entry.ts';
import { count } from '../../lib/units.ts';
import type { Document } from '../document.ts';
import type { RunData } from '../run-data.ts';
import { isRecord } from '../sections/facts.ts';
import { changedSettings } from './doubts.ts';

type Fact = Document['glance'][number];

/** What a reader needs to judge a finding: servers, machine, storage, what was varied, how much was measured, how to run it again. */
export function atAGlance(data: RunData, draft: Draft): readonly Fact[] {
  const changed = changedSettings(data);
  return [
    { term: 'Servers', text: data.servers.map(serverText).join('; ') || 'none was started' },
    ...machineFacts(data.hosts.at(-1)),
    { term: 'Varied', text: variedText(data, draft) },
    ...(changed.length === 0 ? [] : [{ term: 'Not as requested', text: changed.join(', '), code: true }]),
    { term: 'Measured', text: measuredText(data) },
    { term: 'Run it again', text: `${data.run.command}   # Benchbook ${data.run.toolVersion}`, code: true },
  ];
}

/** "MariaDB 10.11.19 (Debian bookworm, source 5843d847512)". */
function serverText({ family, version, sourceRevision, obtained }: ServerEntry): string {
  const name = familyOf({ family }).title;
  const number = /^\d+(\.\d+)+/.exec(version)?.[0] ?? version;
  const from = isRecord(obtained)
    ? obtained.suite === undefined
      ? obtained.source
      : `Debian ${obtained.suite}`
    : null;
  const patches = isRecord(obtained) && Array.isArray(obtained.patches) ? obtained.patches.length : 0;
  const details = [
    typeof from === 'string' ? from : '',
    sourceRevision === null ? 'source commit not known' : `commit ${sourceRevision.slice(0, 11)}`,
    patches === 0 ? '' : count(patches, 'patch', 'patches'),
  ].filter((text) => text !== '');
  return `${name} ${number} (${details.join(', ')})`;
}

function machineFacts(host: HostEntry | undefined): readonly Fact[] {
  const known = host !== undefined && isRecord(host.hostClass) ? host.hostClass : null;
  if (known === null) return [{ term: 'Machine', text: 'no facts were recorded' }];
  const word = (key: string) => (known[key] === undefined || known[key] === null ? null : String(known[key]));
  const isVirtual = !['none', null].includes(word('virtualisation'));
  return [
    {
      term: 'Machine',
      text: [
        word('cpu') ?? 'unknown CPU',
        word('cores') === null ? '' : count(Number(word('cores')), 'core'),
        word('memoryGiB') === null ? '' : `${word('memoryGiB')} GiB RAM`,
        isVirtual ? `virtual machine or container (${word('virtualisation')})` : '',
        `Linux ${word('kernel') ?? 'of unknown version'}`,
      ]
        .filter((text) => text !== '')
        .join(', '),
    },
    {
      term: 'Storage',
      text: [word('fileSystem') ?? 'unknown file system', deviceText(word('device'), isVirtual)].join(' on '),
    },
  ];
}

/**
 * What a block device is. A virtual disk reports itself as rotational whatever holds its data, so that word stands only where the machine is
 * none that a hypervisor makes.
 */
export function deviceText(device: string | null, isVirtual: boolean): string {
  if (device === null) return 'an unknown device';
  const [name = '', ...rest] = device.split(' ');
  if (/^(vd|xvd)/.test(name)) return `a virtual disk (${name})`;
  if (name.startsWith('nvme')) return `NVMe (${name})`;
  if (isVirtual) return `a disk that the virtual machine sees as ${name}`;
  if (rest.includes('rotational')) return `a rotational disk (${name})`;
  return rest.length > 0 ? `a disk (${device})` : device;
}

/** "server 10.5, 10.11, 11.8 × pool 128M, 1G, 4G, 12G". */
function variedText({ trials }: RunData, { factors }: Draft): string {
  const varied = factors.flatMap(({ name, labels }) => {
    const measured = new Set(
      trials.flatMap(({ cell, samples }) => [cell[name], ...samples.map(({ within }) => within?.[name])]),
    );
    const shown = labels.filter((label) => measured.has(label));
    return shown.length < 2 ? [] : [`${name} ${shown.join(', ')}`];
  });
  return varied.join(' × ') || 'nothing: one variant';
}

function measuredText({ run, trials, end }: RunData): string {
  const counted = trials.filter((trial) => trial.counted);
  const ok = counted.filter(({ outcome }) => outcome === 'ok').length;
  const blocks = new Set(counted.map(({ block }) => block)).size;
  const unfinished = end === null || !end.complete ? '; the run is not complete' : '';
  const lost = ok === counted.length ? '' : `, ${counted.length - ok} not ok`;
  return `${run.startedAt.slice(0, 10)}: ${count(counted.length, 'trial')} in ${count(blocks, 'block')}${lost}${unfinished}`;
}
