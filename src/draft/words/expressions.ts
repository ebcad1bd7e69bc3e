import type { Check, Expression } from '../../study/expression.ts';
import type { CheckWord, ExpressionWord } from '../../study/report-words.ts';

/** A number as the study's author handles it: data inside, conditions outside. */
export class ExpressionData implements ExpressionWord {
  readonly expression: Expression;

  constructor(expression: Expression) {
    this.expression = Object.freeze(expression);
  }

  below(limit: number): CheckWord {
    return new CheckData({ op: 'below', of: this.expression, limit });
  }

  above(limit: number): CheckWord {
    return new CheckData({ op: 'above', of: this.expression, limit });
  }

  between(low: number, high: number): CheckWord {
    return new CheckData({ op: 'between', of: this.expression, low, high });
  }

  equivalentTo(value: number, tolerance: number): CheckWord {
    return new CheckData({ op: 'equivalentTo', of: this.expression, value, within: tolerance });
  }
}

/** A condition as the study's author handles it. */
export class CheckData implements CheckWord {
  readonly check: Check;

  constructor(check: Check) {
    this.check = Object.freeze(check);
  }

  and(other: CheckWord): CheckWord {
    return new CheckData({ op: 'and', checks: [this.check, other.check as Check] });
  }

  or(other: CheckWord): CheckWord {
    return new CheckData({ op: 'or', checks: [this.check, other.check as Check] });
  }

  not(): CheckWord {
    return new CheckData({ op: 'not', check: this.check });
  }
}
