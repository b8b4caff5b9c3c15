// What tokenizing and detokenizing have in common: a pass over a file's findings that fills in the edits.

import type { Findings, Scanner } from './format.ts';
import type { Rejections } from './rejections.ts';
import type { Summary } from './report.ts';
import type { Edits } from './splice.ts';

/** One direction of the exchange. */
export interface Pass {
	/** Decides every finding of a window and adds the edits. `base` is the offset in the file of `bytes[0]`. */
	exchange(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void>;
	/** Called once after the last window: says what is to be said of the file as a whole. @throws FileError when it is refused */
	judgeFile?(scanner: Scanner): void;
	/** Called once after the file was judged: everything the output relies on is durable when it settles. */
	finish(): Promise<void>;
	/** Makes everything decided so far durable, and proof against a later failure of the pass. */
	settle(): Promise<void>;
	/** Wipes clear digits from memory; called whatever happened. */
	wipe(): void;
	readonly summary: Summary;
	/** What the folder rejects in this file; `finish` throws when there is any. Absent where nothing is ever rejected. */
	readonly rejections?: Rejections;
}
