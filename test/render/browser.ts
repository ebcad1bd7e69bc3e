import puppeteer, { type Browser } from 'puppeteer-core';
import { findChromium } from '../../src/render/chromium.ts';

/** A browser for a test, or null where none is installed: set-up brings one, so that null is said aloud, never passed over. */
export async function openBrowser(): Promise<Browser | null> {
  const chromium = await findChromium();
  if (!chromium) return null;
  const args = ['--disable-gpu', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])];
  return await puppeteer.launch({ executablePath: chromium.path, headless: true, args });
}
