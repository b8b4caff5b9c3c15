// Shows one session the files of its account (shapes §10). This file decides about paths, names and refusals; `drops`
// stores the bytes and `jobs` processes them.

import type { SpoolReader } from '../../base/blobs/spool-reader.ts';
import { CredentialEndedError } from '../../people/identity/credentials/ending.ts';
import { AREAS, type Area, findNameProblem, isInputArea, OUTPUT_AREA } from '../drops/drop-names.ts';
import type { DropFile, DropFolder } from '../drops/drop-store.ts';
import type { Drops } from '../drops/drops.ts';
import type { Upload } from '../drops/upload.ts';
import { ownOptionsOf } from '../jobs/format-options.ts';
import type { Intake } from '../jobs/intake.ts';
import { placeIn } from '../jobs/job.ts';
import type { LeftAlone } from '../jobs/left-alone.ts';
import type { SentFile, SentFiles } from '../jobs/sent-files.ts';
import { Download, FILE_MODE, fileAttributes, fixedSize, Incoming, refusing } from './drop-handles.ts';
import { type FilePlace, locate, noSuchFile, type Place, pathOf, TREE } from './drop-places.ts';
import { type FilePermission, findMissingPermission, type SessionGuards } from './guards.ts';
import { type OpenMode, type Tree, type TreeAttributes, type TreeEntry, TreeError, type TreeFile } from './tree.ts';

export interface DropsViewOptions {
	readonly drops: Drops;
	readonly intake: Intake;
	readonly sent: SentFiles;
	readonly leftAlone: LeftAlone;
	/** The names of the filters, each of which is a folder in every area. */
	readonly filters: readonly string[];
	readonly principal: {
		readonly accountId: DropFolder['accountId'];
		readonly userId: string;
		readonly permissions: { has(permission: FilePermission | 'EliminateDuplicates'): boolean };
	};
	readonly guards: SessionGuards;
	readonly now?: () => Date;
}

/**
 * Before a read, the credential is checked again if its last check is older than this. Usually the session of an ended
 * credential is cut off together with its open files. This limit counts only while the database does not answer, so
 * that nobody notices the end of the credential.
 */
const READ_MAX_AGE_MS = 5_000;

/** A session remembers at most this many unfinished files, so that uploads over days need little memory. */
const MAX_REMEMBERED = 10_000;

/**
 * For this long every session of a user knows what the user has sent, because clients send a file over one connection
 * and ask for it over another. A session that is open for longer knows what was sent since it was opened.
 */
const KNOWN_FOR_MS = 10 * 60_000;

/** The tree of one session. */
export class DropsView implements Tree {
	readonly #options: DropsViewOptions;
	readonly #openedAt: Date;
	/** Holds the unfinished files that this session began, so that it may read them back. */
	readonly #begun = new Set<DropFile['id']>();

	constructor(options: DropsViewOptions) {
		this.#options = options;
		this.#openedAt = this.#now();
	}

	async attributes(path: string): Promise<TreeAttributes> {
		const place = this.#locate(path);
		if (place.kind !== 'file') return this.#directory();
		this.#requirePermission(place.folder.area);
		const file = await refusing(() => this.#options.drops.find(place.folder, place.name));
		if (file) return fileAttributes(file);
		// Clients check the size after an upload, even if the job has ended by then (shapes §10).
		const sent = await this.#findSent(place);
		if (sent) return { kind: 'file', size: sent.size, modifiedAt: sent.sentAt, mode: FILE_MODE };
		throw noSuchFile(place.folder);
	}

	async *list(path: string): AsyncGenerator<readonly TreeEntry[]> {
		const place = this.#locate(path);
		if (place.kind === 'root') yield AREAS.map((name) => ({ name, ...this.#directory() }));
		else if (place.kind === 'area') yield this.#options.filters.map((name) => ({ name, ...this.#directory() }));
		else if (place.kind === 'file') throw new TreeError('failure', 'not a folder');
		else {
			this.#requirePermission(place.folder.area);
			for await (const page of this.#options.drops.list(place.folder)) {
				yield page.map((file) => ({ name: file.name, ...fileAttributes(file) }));
			}
		}
	}

	async open(path: string, mode: OpenMode): Promise<TreeFile> {
		await this.#requireStanding();
		const place = this.#fileAt(path);
		this.#requirePermission(place.folder.area);
		return refusing(() => (mode.write ? this.#openToWrite(place, mode) : this.#openToRead(place)));
	}

	async truncate(path: string, size: number): Promise<void> {
		await this.#requireStanding();
		// This also checks the permission, and that there is such a file.
		const there = await this.attributes(path);
		const { folder, name } = this.#fileAt(path);
		const { drops, principal } = this.#options;
		const { area } = folder;
		const file = await refusing(() => drops.find(folder, name));
		if (there.size === size && !file?.missing_to) return;
		if (file?.state === 'receiving') throw new TreeError('failure', 'this file is being received; close it first');
		if (!isInputArea(area) || file?.state === 'ready') throw fixedSize();
		if (file?.state !== 'partial') throw this.#sentAlready(folder, file);
		await refusing(async () => {
			const upload = await drops.resume({ folder: { ...folder, area }, name, createdBy: principal.userId });
			if (!upload) throw noSuchFile(folder);
			try {
				await upload.truncate(size);
			} finally {
				await drops.pause(upload);
			}
		});
	}

	async remove(path: string): Promise<void> {
		await this.#requireStanding();
		const place = this.#fileAt(path);
		this.#requirePermission(place.folder.area);
		const file = await refusing(() => this.#options.drops.find(place.folder, place.name));
		if (file?.state === 'accepted') await this.#withdraw(file);
		else if (file && !(await refusing(() => this.#options.drops.remove(file))))
			throw new TreeError('failure', 'it has just changed');
		// Some clients remove the old file before they rename the new one to its name, so removing a file that the user has
		// sent succeeds even if its job has ended and the file is gone.
		const sent = await this.#findSent(place);
		if (sent) this.#options.sent.forget(sent.id);
		else if (!file) throw noSuchFile(place.folder);
	}

	async rename(from: string, to: string, overwrite: boolean): Promise<void> {
		await this.#requireStanding();
		const source = this.#fileAt(from);
		const target = this.#fileAt(to);
		if (source.folder.area !== target.folder.area || source.folder.filter !== target.folder.filter) {
			throw new TreeError('permission-denied', 'files are renamed within their folder only');
		}
		this.#requirePermission(source.folder.area);
		const problem = findNameProblem(target.name);
		if (problem !== undefined) throw new TreeError('failure', problem);
		await refusing(() => this.#rename(source, target, overwrite));
	}

	async makeDirectory(): Promise<void> {
		throw new TreeError('permission-denied', `folders are fixed: ${TREE}`);
	}

	async removeDirectory(): Promise<void> {
		throw new TreeError('permission-denied', `folders are fixed: ${TREE}`);
	}

	space(): Promise<{ readonly total: number; readonly free: number }> {
		return refusing(() => this.#options.drops.space());
	}

	async close(): Promise<void> {
		this.#options.guards.release();
		this.#begun.clear();
	}

	async #openToRead(place: FilePlace): Promise<TreeFile> {
		const { drops } = this.#options;
		const { folder, name } = place;
		const file = await drops.find(folder, name);
		if (!file) throw await this.#gone(place, 'it cannot be read back');
		if (file.state === 'ready') return this.#download(file, await drops.open(folder, file));
		if (file.state === 'receiving') throw new TreeError('failure', 'this file is being received; close it first');
		if (file.state !== 'partial') throw taken('it cannot be read back', file);
		this.#requireReadingBack(file);
		return new Download(file, await drops.openPartial(folder, file));
	}

	/** Gives out a finished file. Whoever gets clear card numbers is recorded first, and checked at every read. */
	async #download(file: DropFile, reader: SpoolReader): Promise<TreeFile> {
		const { guards } = this.#options;
		const isOutput = file.area === 'tokenized' || file.area === 'detokenized';
		if (isOutput && file.job_id !== null) await guards.noteFetch(file.job_id);
		if (file.area !== 'detokenized') return new Download(file, reader);
		try {
			// This path is made from the stored file and not taken from the client, because clients can spell a path in
			// several ways.
			await guards.recordDownload(pathOf(file));
		} catch (error) {
			await reader.close();
			throw error;
		}
		return new Download(file, reader, () => this.#requireStanding(READ_MAX_AGE_MS));
	}

	async #openToWrite(place: FilePlace, mode: OpenMode): Promise<TreeFile> {
		const { drops, principal, intake, leftAlone } = this.#options;
		const { folder, name } = place;
		const { area } = folder;
		if (!isInputArea(area)) {
			const input = `/${area === 'detokenized' ? 'detokenize' : 'tokenize'}/${folder.filter}`;
			throw new TreeError('permission-denied', `files appear here by themselves: put yours into ${input}`);
		}
		const target = { folder: { ...folder, area }, name, createdBy: principal.userId };
		// An OPEN that creates or empties a file replaces whatever has its name, so nothing has to be looked up.
		const startsAnew = mode.create && mode.truncate && !mode.exclusive;
		const file = startsAnew ? undefined : await drops.find(folder, name);
		const sent = startsAnew ? undefined : await this.#findSent(place);
		const isSent = file?.state === 'accepted' || sent !== undefined;
		// Some clients set a file's time after the upload by an OPEN with `exclusive`. A new and empty file of the same
		// name would replace the result of the upload, so such an OPEN is refused.
		if (mode.exclusive && (file || (sent && !sent.hasFailed)))
			throw new TreeError('failure', 'a file of this name exists already');
		// sshfs creates no file that STAT shows: it empties the file, which is a further upload like any other.
		if (!file && !sent && !mode.create) throw noSuchFile(folder);
		const isUnfinished = file?.state === 'partial' || file?.state === 'receiving';
		// A sent file is complete. Appended bytes would be processed as a file of their own, so an OPEN that appends is
		// refused. An OPEN that does not append, such as that of scp, starts the upload again.
		if (!mode.truncate && !isUnfinished && ((mode.append && isSent) || !mode.create)) {
			throw this.#sentAlready(folder, file);
		}
		if (mode.read && isUnfinished && !mode.truncate) this.#requireReadingBack(file);
		const begin = async () => this.#remember(await drops.begin(target));
		const upload = (isUnfinished && !mode.truncate ? await drops.resume(target) : undefined) ?? (await begin());
		const isTouched = isSent && !(mode.truncate && !mode.exclusive) && !isUnfinished;
		return new Incoming(upload, mode, {
			check: () => this.#requireStanding(READ_MAX_AGE_MS),
			pause: (each) => this.#pause(each),
			close: async (each) => {
				try {
					await this.#requireStanding();
				} catch (error) {
					// The credential ended before the upload was accepted. What was received is kept for another login.
					await this.#pause(each);
					throw error;
				}
				if (each.problem !== undefined) {
					await this.#pause(each);
					each.requireWhole();
				} else if (await leftAlone.has(folder, name)) {
					await drops.pause(each);
					each.requireWhole();
				} else if (isTouched && each.isEmpty) await drops.remove(each.file);
				else await intake.accept(each, { options: ownOptionsOf(principal, area) });
			},
			restart: begin,
		});
	}

	async #rename(source: FilePlace, target: FilePlace, overwrite: boolean): Promise<void> {
		const { drops, intake, principal } = this.#options;
		const file = await drops.find(source.folder, source.name);
		if (!file) throw await this.#gone(source, 'it cannot be renamed any more');
		if (source.name === target.name) return;
		if (file.state === 'receiving') throw new TreeError('failure', 'this file is being received; close it first');
		if (file.state !== 'partial' && file.state !== 'ready') throw taken('it cannot be renamed any more', file);
		const replaces = await this.#findReplaced(target, overwrite);
		if (file.state === 'partial' && (await this.#isFinalName(source, target))) {
			const options = ownOptionsOf(principal, source.folder.area === 'detokenize' ? 'detokenize' : 'tokenize');
			await intake.acceptPartial(file, { name: target.name, replaces, options });
		} else if (!(await drops.rename(file, target.name, replaces))) {
			throw new TreeError('failure', 'it has just changed');
		}
	}

	/**
	 * Takes back an empty file, which some clients send to see whether they may write, and remove again. If its job has
	 * begun, the job ends as usual. Other files are processed once they are accepted.
	 */
	async #withdraw(file: DropFile): Promise<void> {
		const { intake, principal } = this.#options;
		if (file.size > 0 || file.created_by !== principal.userId) throw taken('it cannot be removed any more', file);
		await refusing(() => intake.withdraw(file));
	}

	/**
	 * Ends an upload that is not accepted. Its bytes are kept for resuming, unless its client has contradicted them: they
	 * might be renamed to a final name, or resumed, although the client believes that others are there.
	 */
	async #pause(upload: Upload): Promise<void> {
		const { drops } = this.#options;
		await (upload.problem === 'changed' ? drops.discard(upload) : drops.pause(upload));
	}

	/** Tells whether a rename gives a file that was left alone until now a name under which it is processed. */
	async #isFinalName(source: FilePlace, target: FilePlace): Promise<boolean> {
		const { leftAlone } = this.#options;
		return (await leftAlone.has(source.folder, source.name)) && !(await leftAlone.has(target.folder, target.name));
	}

	/**
	 * Returns the file that a rename would overwrite. An input that was already accepted is not overwritten: it stays,
	 * and the new file is processed after it.
	 */
	async #findReplaced(target: FilePlace, overwrite: boolean): Promise<DropFile | undefined> {
		const there = await this.#options.drops.find(target.folder, target.name);
		if (!there || there.state === 'accepted' || there.state === 'failed') return undefined;
		if (there.state === 'receiving') throw new TreeError('failure', 'a file of this name is being received');
		if (!overwrite) throw new TreeError('failure', 'a file of this name exists already');
		return there;
	}

	/** Says why nothing can be done with a name that no file has: STAT still shows the file that the user has sent. */
	async #gone(place: FilePlace, consequence: string): Promise<TreeError> {
		const sent = await this.#findSent(place);
		if (!sent) return noSuchFile(place.folder);
		return taken(consequence, { ...place.folder, state: sent.hasFailed ? 'failed' : 'accepted' });
	}

	#sentAlready(folder: DropFolder, file: DropFile | undefined): TreeError {
		const consequence = 'send it again from its start to have it processed again';
		return taken(consequence, file ?? { ...folder, state: 'accepted' });
	}

	#remember<T extends { readonly file: DropFile }>(upload: T): T {
		this.#begun.add(upload.file.id);
		for (const oldest of this.#begun) {
			if (this.#begun.size <= MAX_REMEMBERED) break;
			this.#begun.delete(oldest);
		}
		return upload;
	}

	/**
	 * Checks that an unfinished file may be read back. It contains numbers in clear, so a key that may only tokenize can
	 * read back only the files that its own session has sent.
	 */
	#requireReadingBack(file: DropFile): void {
		const { userId, permissions } = this.#options.principal;
		if (file.created_by !== userId) {
			throw new TreeError('permission-denied', 'only the user who sent it can read an unfinished file back');
		}
		if (permissions.has('FileDetokenize') || this.#begun.has(file.id)) return;
		const rule = 'an unfinished file is read back by the session that sent it, or with the permission FileDetokenize';
		throw new TreeError('permission-denied', rule);
	}

	/**
	 * Finds the file that the user has sent to this place a short time ago, or while this session was open. A file that
	 * failed is known only to sessions that were open when it was sent, because later ones may send a corrected one.
	 */
	async #findSent({ folder, name }: FilePlace): Promise<SentFile | undefined> {
		if (!isInputArea(folder.area)) return undefined;
		const { sent, principal } = this.#options;
		const sinceMs = Math.min(this.#openedAt.getTime(), this.#now().getTime() - KNOWN_FOR_MS);
		const found = await refusing(() => sent.find(placeIn(folder, name), principal.userId, sinceMs));
		return found?.hasFailed && found.sentAt < this.#openedAt ? undefined : found;
	}

	#now(): Date {
		return this.#options.now?.() ?? new Date();
	}

	#locate(path: string): Place {
		const { principal, filters } = this.#options;
		return locate(path, { accountId: principal.accountId, filters });
	}

	#fileAt(path: string): FilePlace {
		const place = this.#locate(path);
		if (place.kind === 'file') return place;
		// `locate` has already refused file names directly in the root or in an area, because only folders are there.
		throw new TreeError('permission-denied', `this is a folder; files go into one of ${TREE}`);
	}

	#requirePermission(area: Area): void {
		const missing = findMissingPermission(this.#options.principal, area);
		if (missing !== undefined) throw new TreeError('permission-denied', `Permission ${missing} is required`);
	}

	async #requireStanding(maxAgeMs?: number): Promise<void> {
		try {
			await this.#options.guards.check(maxAgeMs);
		} catch (error) {
			if (!(error instanceof CredentialEndedError)) throw error;
			throw new TreeError('permission-denied', 'this login has ended: log in again');
		}
	}

	#directory(): TreeAttributes {
		return { kind: 'directory', size: 0, modifiedAt: this.#openedAt, mode: 0o750 };
	}
}

function taken(consequence: string, { area, filter, state }: Pick<DropFile, 'area' | 'filter' | 'state'>): TreeError {
	if (state === 'failed') {
		const report = `its report in /reports/${filter} says why`;
		return new TreeError('permission-denied', `this file could not be processed, ${report}: ${consequence}`);
	}
	const place = isInputArea(area) ? `; its result appears in /${OUTPUT_AREA[area]}/${filter}` : '';
	return new TreeError('permission-denied', `this file was accepted: ${consequence}${place}`);
}
