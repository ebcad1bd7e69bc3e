import { canonicalJson } from '../../lib/json.ts';
import { count } from '../../lib/units.ts';
import type { PlacedCaution } from '../results.ts';
import type { CautionInput } from './input.ts';

/** What the builds and the hosts of a run have in common, and what not. */
export function machineCautions(input: CautionInput): readonly PlacedCaution[] {
  return [...toolchains(input), ...hosts(input), ...othersBusy(input)];
}

/** Distributions build with other compilers, libraries and allocators: a difference between two packages is not the version's alone. */
function toolchains({ entries, index }: CautionInput): readonly PlacedCaution[] {
  const used = new Set(index.trials.map((trial) => trial.buildId));
  const builds = entries.filter((entry) => entry.type === 'server').filter((build) => used.has(build.buildId));
  const chains = new Set(builds.map((build) => canonicalJson(build.toolchain)));
  const versions = new Map<string, Set<string>>();
  for (const { version, executableSha256 } of builds)
    versions.set(version, (versions.get(version) ?? new Set()).add(executableSha256));
  const twice = [...versions].filter(([, hashes]) => hashes.size > 1).map(([version]) => version);
  return [
    ...(chains.size > 1
      ? [
          {
            code: 'toolchains-differ',
            sentence: `The builds differ in toolchain (${builds.map((build) => build.version).join(', ')}): compiler, libraries or allocator may share in a difference between versions.`,
          },
        ]
      : []),
    ...twice.map((version) => ({
      code: 'same-version-other-build',
      sentence: `Different executables call themselves ${version}: the version alone does not name the build.`,
      about: version,
    })),
  ];
}

function hosts({ entries }: CautionInput): readonly PlacedCaution[] {
  const classes = new Set(
    entries.filter((entry) => entry.type === 'host').map((entry) => canonicalJson(entry.hostClass)),
  );
  if (classes.size < 2) return [];
  return [
    {
      code: 'hosts-differ',
      sentence: `The run was made on ${classes.size} hosts of different class (hardware, kernel or their settings): numbers mix them.`,
    },
  ];
}

/** What trials record when others had the machine too. */
const OTHERS = new Set(['load-of-others', 'steal', 'throttled', 'swapping', 'low-memory', 'foreign-load']);

/** One sentence for the whole report; each trial's own caution has the figures. */
function othersBusy({ index }: CautionInput): readonly PlacedCaution[] {
  const hit = index.trials.filter((trial) => trial.cautions.some((caution) => OTHERS.has(caution.code)));
  if (hit.length === 0) return [];
  const blocks = [...new Set(hit.map((trial) => trial.block))].join(', ');
  const sentence = `The machine was not this study's alone (load, steal, throttling or swapping) during ${hit.length} of ${count(index.trials.length, 'trial')} (block${blocks.includes(',') ? 's' : ''} ${blocks}).`;
  return [{ code: 'foreign-load', sentence }];
}
