import type { PlacedCaution } from '../results.ts';
import { designCautions } from './design.ts';
import type { CautionInput } from './input.ts';
import { iterationCautions } from './iterations.ts';
import { machineCautions } from './machine.ts';
import { orderCautions } from './order.ts';
import { outcomeCautions } from './outcomes.ts';
import { settingCautions } from './settings.ts';
import { shapeCautions } from './shape.ts';

/**
 * All that a reader must know before believing a number, each with its place: a metric and cell, a metric, a cell, or (with neither) the
 * whole report. Sentences stand for themselves, so that they can be listed at the end too. What a measurement itself warned of stands
 * at its trial and is not repeated here.
 */
export function findCautions(input: CautionInput): readonly PlacedCaution[] {
  return [
    ...outcomeCautions(input),
    ...shapeCautions(input),
    ...iterationCautions(input),
    ...designCautions(input),
    ...orderCautions(input),
    ...settingCautions(input),
    ...machineCautions(input),
  ];
}
