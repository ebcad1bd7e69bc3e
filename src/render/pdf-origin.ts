import { PDFDocument } from '@cantoo/pdf-lib';

export interface PdfOrigin {
  /** Version of the Chromium that printed it; null where the file does not say. */
  readonly chromium: string | null;
  readonly paper: 'A4' | 'Letter';
}

/** What a report's PDF says of how it was printed; null for a file that is no PDF. */
export async function pdfOrigin(bytes: Uint8Array): Promise<PdfOrigin | null> {
  const pdf = await PDFDocument.load(bytes, { updateMetadata: false }).catch(() => null);
  if (pdf === null || pdf.getPageCount() === 0) return null;
  const { width, height } = pdf.getPage(0).getSize();
  const chromium = /^Chromium (\S+)$/.exec(pdf.getProducer() ?? '')?.[1] ?? null;
  // The first page stands upright: 595 × 842 points, or 612 × 792.
  return { chromium, paper: Math.abs(Math.max(width, height) - 792) < 2 ? 'Letter' : 'A4' };
}
