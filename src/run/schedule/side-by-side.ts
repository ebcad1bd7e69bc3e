import { hindranceSideBySide } from '../../host/controls.ts';
import { BenchbookError } from '../../lib/errors.ts';
import type { Plan } from '../../plan/plan.ts';
import type { ResolvedVariant } from '../variants.ts';

/**
 * The halves of a duet run at the same time, on one machine.
 * @throws BenchbookError('study') where two of them ask for what they cannot both have.
 */
export function checkSideBySide({ order }: Pick<Plan, 'order'>, resolved: readonly ResolvedVariant[]): void {
  if (typeof order !== 'object') return;
  if (resolved.some(({ setup }) => setup.host?.cpus !== undefined)) {
    throw new BenchbookError(
      'study',
      'a duet gives each server its own half of the CPUs, and the setup asks for others',
      {
        hint: 'leave out host.cpus, or use the order "blocks"',
      },
    );
  }
  const rest = ({ variant: { cell } }: ResolvedVariant) =>
    JSON.stringify(Object.entries(cell).filter(([name]) => name !== order.duet));
  for (const [index, one] of resolved.entries()) {
    for (const other of resolved.slice(index + 1).filter((each) => rest(each) === rest(one))) {
      const why = hindranceSideBySide(one.setup.host ?? {}, other.setup.host ?? {});
      if (why === null) continue;
      throw new BenchbookError('study', why, {
        hint: 'give both the same value, leave it out, or use the order "blocks"',
      });
    }
  }
}
