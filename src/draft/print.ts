import type { Check, Expression } from '../study/expression.ts';
import type { Cell, Primitive } from '../study/types.ts';

/** An expression as the study's author would write it: `ratio('memory.rss', { server: ['10.11', '10.5'] }, { pool: '4G' })`. */
export function printExpression(expression: Expression): string {
  switch (expression.op) {
    case 'stat': {
      const statistic = expression.statistic === 'median' ? '' : `, '${expression.statistic}'`;
      return `stat('${expression.metric}', ${printCell(expression.at)}${statistic})`;
    }
    case 'ratio':
      return printPair('ratio', expression.metric, expression.numerator, expression.denominator);
    case 'difference':
      return printPair('difference', expression.metric, expression.minuend, expression.subtrahend);
    case 'slope':
      return `slope('${expression.metric}', '${expression.over}', ${printCell(expression.at)}${printPer(expression.per)})`;
    case 'effect': {
      const levels = `[${printLabel(expression.level)}, ${printLabel(expression.against)}]`;
      return `effect('${expression.metric}', { ${expression.factor}: ${levels} }, ${printCell(expression.where)})`;
    }
    case 'outcome': {
      const as = expression.as === 'count' ? '' : `, 'share'`;
      return `outcome('${expression.outcome}', ${printCell(expression.at)}${as})`;
    }
  }
}

/** A check as the study's author would write it. */
export function printCheck(check: Check): string {
  switch (check.op) {
    case 'below':
    case 'above':
      return `${printExpression(check.of)}.${check.op}(${check.limit})`;
    case 'between':
      return `${printExpression(check.of)}.between(${check.low}, ${check.high})`;
    case 'equivalentTo':
      return `${printExpression(check.of)}.equivalentTo(${check.value}, ${check.within})`;
    case 'and':
    case 'or':
      return check.checks
        .map((each, index) => (index === 0 ? printCheck(each) : `.${check.op}(${printCheck(each)})`))
        .join('');
    case 'not':
      return `${printCheck(check.check)}.not()`;
  }
}

function printPair(word: string, metric: string, first: Cell, second: Cell): string {
  const names = Object.keys(first);
  const varied = names.filter((name) => first[name] !== second[name]);
  const pairs = varied.map((name) => `${name}: [${printLabel(first[name]!)}, ${printLabel(second[name]!)}]`);
  const fixed = Object.fromEntries(
    names.filter((name) => first[name] === second[name]).map((name) => [name, first[name]!]),
  );
  return `${word}('${metric}', { ${pairs.join(', ')} }, ${printCell(fixed)})`;
}

function printPer(per: Primitive | undefined): string {
  return per === undefined ? '' : `, { per: ${printLabel(per)} }`;
}

function printCell(cell: Cell): string {
  const entries = Object.entries(cell).map(([name, label]) => `${name}: ${printLabel(label)}`);
  return entries.length === 0 ? '{}' : `{ ${entries.join(', ')} }`;
}

function printLabel(label: Primitive): string {
  return typeof label === 'string' ? `'${label.replace(/[\\']/g, '\\$&')}'` : String(label);
}
