import type { PDFDocument } from '@cantoo/pdf-lib';
import { PDFArray, PDFDict, PDFName, type PDFObject, PDFRef, PDFString } from '@cantoo/pdf-lib';

/**
 * Give the elements of a tagged PDF ids by their place in it. Chromium takes them from a counter of its process, which
 * also counts what happened to be painted before printing: under load the same page came out with other ids.
 */
export function numberElements(pdf: PDFDocument): void {
  const { context } = pdf;
  const root = pdf.catalog.lookupMaybe(PDFName.of('StructTreeRoot'), PDFDict);
  const tree = root?.lookupMaybe(PDFName.of('IDTree'), PDFDict);
  if (root === undefined || tree === undefined) return;
  const names = new Map<string, string>();
  for (const [, object] of context.enumerateIndirectObjects()) {
    const id = object instanceof PDFDict ? object.get(ID) : undefined;
    if (id instanceof PDFString) names.set(id.asString(), `node${String(names.size + 1).padStart(8, '0')}`);
  }
  const renamed = (object: PDFObject): PDFObject =>
    object instanceof PDFString ? PDFString.of(names.get(object.asString()) ?? object.asString()) : object;
  for (const [, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict)) continue;
    const id = object.get(ID);
    if (id instanceof PDFString) object.set(ID, renamed(id));
    for (const headers of arraysOf(object)) {
      for (let index = 0; index < headers.size(); index++) headers.set(index, renamed(headers.get(index)));
    }
  }
  // A name tree is in order of its names: one leaf holds them all.
  const pairs = pairsOf(tree)
    .map(([name, element]) => [names.get(name) ?? name, element] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  const flat = context.obj({ Names: pairs.flatMap(([name, element]) => [PDFString.of(name), element]) });
  for (const ref of refsOf(root.get(PDFName.of('IDTree')), pdf)) context.delete(ref);
  root.set(PDFName.of('IDTree'), context.register(flat));
}

const ID = PDFName.of('ID');

/** The `Headers` of a cell, which name other elements: they stand in its attributes, one dictionary or an array of them. */
function arraysOf(element: PDFDict): PDFArray[] {
  const attributes = element.get(PDFName.of('A'));
  const all = attributes instanceof PDFArray ? attributes.asArray() : [attributes];
  return [element, ...all].flatMap((each) => {
    const headers = each instanceof PDFDict ? each.get(PDFName.of('Headers')) : undefined;
    return headers instanceof PDFArray ? [headers] : [];
  });
}

/** The tree's own objects, from its root down: what stays behind unused would still be written. */
function refsOf(node: PDFObject | undefined, pdf: PDFDocument): PDFRef[] {
  const dictionary = pdf.context.lookup(node);
  const kids = dictionary instanceof PDFDict ? dictionary.lookupMaybe(PDFName.of('Kids'), PDFArray) : undefined;
  return [...(node instanceof PDFRef ? [node] : []), ...(kids?.asArray() ?? []).flatMap((kid) => refsOf(kid, pdf))];
}

function pairsOf(node: PDFDict): (readonly [string, PDFRef])[] {
  const names = node.lookupMaybe(PDFName.of('Names'), PDFArray)?.asArray() ?? [];
  const own = names.flatMap((name, index) => {
    const element = names[index + 1];
    return name instanceof PDFString && element instanceof PDFRef ? [[name.asString(), element] as const] : [];
  });
  const kids = node.lookupMaybe(PDFName.of('Kids'), PDFArray);
  const below = Array.from({ length: kids?.size() ?? 0 }, (_, index) => pairsOf(kids!.lookup(index, PDFDict)));
  return [...own, ...below.flat()];
}
