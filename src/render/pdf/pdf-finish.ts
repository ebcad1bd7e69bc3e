import { createHash } from 'node:crypto';
import { AFRelationship, PDFDocument, PDFHeader, PDFHexString, PDFName, PDFStreamWriter } from '@cantoo/pdf-lib';

import { numberElements } from './pdf-ids.ts';

const OBJECTS_PER_STREAM = 1000;

export interface PdfExtras {
  readonly title: string;
  /** ISO 8601: the run's date, which the file carries in place of today's. */
  readonly date: string;
  readonly producer: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array; readonly description: string }[];
}

/**
 * Give a printed PDF the run's date, a title, an id made from its content, and embedded files: the same input gives
 * the same bytes on any day.
 */
export async function finishPdf(printed: Uint8Array, extras: PdfExtras): Promise<Uint8Array> {
  const pdf = await PDFDocument.load(printed, { updateMetadata: false });
  numberElements(pdf);
  const date = new Date(extras.date);
  pdf.setTitle(extras.title, { showInWindowTitleBar: true });
  pdf.setCreator('Benchbook');
  pdf.setProducer(extras.producer);
  pdf.setCreationDate(date);
  pdf.setModificationDate(date);
  // A name tree is in order, or readers miss entries.
  for (const file of [...extras.files].sort((a, b) => (a.name < b.name ? -1 : 1))) {
    await pdf.attach(file.bytes, file.name, {
      mimeType: mimeType(file.name),
      description: file.description,
      creationDate: date,
      modificationDate: date,
      afRelationship: AFRelationship.Data,
    });
  }
  const hash = createHash('sha256').update(printedAnyDay(printed));
  for (const file of extras.files) hash.update(file.name).update(file.bytes);
  const id = PDFHexString.of(hash.digest('hex').slice(0, 32));
  pdf.context.trailerInfo.ID = pdf.context.obj([id, id]);
  pdf.catalog.set(PDFName.of('PageMode'), PDFName.of('UseOutlines'));
  await pdf.flush();
  // Streams of objects came with PDF 1.5.
  pdf.context.header = PDFHeader.forVersion(1, 7);
  // `save` packs fifty objects a stream: the tags of a long report, much alike, are then a third of the file.
  return await PDFStreamWriter.forContext(pdf.context, 500, true, OBJECTS_PER_STREAM).serializeToBuffer();
}

/** Chromium writes the time of printing and ids of its process; the file's id must not depend on them. */
function printedAnyDay(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/\(D:[^)]*\)|\(node\d+\)/g, '');
}

function mimeType(name: string): string {
  const ending = name.slice(name.lastIndexOf('.') + 1);
  const known: Readonly<Record<string, string>> = {
    csv: 'text/csv',
    jsonl: 'application/jsonl',
    json: 'application/json',
    ts: 'text/plain',
    txt: 'text/plain',
  };
  return known[ending] ?? 'application/octet-stream';
}
