// Defines what tokenizing and detokenizing have in common: a pass goes over the findings of a file and collects the
// replacements.

import type { Findings, Scanner } from './format.ts';
import type { Rejections } from './rejections.ts';
import type { Summary } from './report.ts';
import type { Edits } from './splice.ts';

/** A tokenizing or detokenizing pass over one file. */
export interface Pass {
	/**
	 * Decides what replaces each finding of a window and adds the replacements to `edits`. `base` is the offset in the
	 * file of `bytes[0]`.
	 */
	exchange(bytes: Buffer, findings: Findings, base: number, edits: Edits): Promise<void>;
	/**
	 * Judges the file as a whole and adds the notices about it. It is called once after the last window.
	 * @throws FileError if the file is refused
	 */
	judgeFile?(scanner: Scanner): void;
	/**
	 * Ends the pass. It is called once, after the file was judged. When it resolves, every card whose token is in the
	 * output is durable.
	 */
	finish(): Promise<void>;
	/** Makes everything decided so far durable, so that a later failure of the pass does not undo it. */
	settle(): Promise<void>;
	/** Wipes clear digits from memory. It is always called at the end. */
	wipe(): void;
	readonly summary: Summary;
	/**
	 * Collects the faults for which the folder rejects this file; `finish` throws if there are any. A pass that never
	 * rejects a file leaves it out.
	 */
	readonly rejections?: Rejections;
}
