import { hash } from 'node:crypto';
import type { Form } from './form.ts';
import type { FoundForm } from './form-store.ts';

export interface ReadForm {
	readonly row: FoundForm;
	readonly form: Form;
	/** The digest by which `OpenedForms` remembers the form; absent if the form was read from the database. */
	readonly digest?: string;
}

/** The options of all remembered forms may have this many characters together. */
const MOST_CHARACTERS = 16 * 1024 * 1024;
/** Each form counts as this many characters more than its options have, for everything else that it holds. */
const FORM_CHARACTERS = 512;

/**
 * Remembers the forms that this daemon opened and that nobody has submitted yet. Most forms are submitted to the daemon
 * that opened them, and then their rows need not be read, nor their seals checked. The oldest forms are forgotten first.
 *
 * Forms are remembered by a digest of their ids, which is much quicker than the hashes under which the database has them,
 * and from which nobody who reads the memory can submit a form.
 *
 * A remembered form may have been submitted to another daemon meanwhile: only the transaction that stores its card tells.
 */
export class OpenedForms {
	readonly #forms = new Map<string, ReadForm>();
	readonly #mostCharacters: number;
	#characters = 0;

	constructor(mostCharacters = MOST_CHARACTERS) {
		this.#mostCharacters = mostCharacters;
	}

	get size(): number {
		return this.#forms.size;
	}

	remember(id: string, form: ReadForm, nowMs: number): void {
		const digest = digestOf(id);
		this.#forms.set(digest, { ...form, digest });
		this.#characters += charactersOf(form);
		for (const [digest, { row }] of this.#forms) {
			if (row.expires_at > nowMs && this.#characters <= this.#mostCharacters) return;
			this.#forget(digest);
		}
	}

	find(id: string): ReadForm | undefined {
		return this.#forms.get(digestOf(id));
	}

	/** Forgets a form that `find` has returned; any other form was not remembered. */
	forget({ digest }: ReadForm): void {
		if (digest !== undefined) this.#forget(digest);
	}

	#forget(digest: string): void {
		const form = this.#forms.get(digest);
		if (form === undefined) return;
		this.#forms.delete(digest);
		this.#characters -= charactersOf(form);
	}
}

const digestOf = (id: string): string => hash('sha256', id, 'base64');

function charactersOf({ row }: ReadForm): number {
	return row.options.length + FORM_CHARACTERS;
}
