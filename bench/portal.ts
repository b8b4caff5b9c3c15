// Measures the portal: uploads beside sFTP, and the time that its pages take.

import { portalPagesRows } from './portal-pages.ts';
import { portalUploadRows } from './portal-upload.ts';
import type { BenchRow } from './table.ts';

export async function portalRows(folder: string): Promise<BenchRow[]> {
	return [...(await portalUploadRows(folder)), ...(await portalPagesRows())];
}
