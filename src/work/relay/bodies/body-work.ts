// Does the work on one body. This code runs in the main thread for small bodies, and in a worker thread for large ones.

import { bodyWithoutEchoes } from '../echo.ts';
import { parseDestination } from '../partners/destination-document.ts';
import { type ParseOptions, parseProfile } from '../profiles/profile-document.ts';
import { DestinationError, ProfileError } from '../profiles/profile-problems.ts';
import { tryProfile } from '../profiles/profile-trial.ts';
import type { Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask, DestinationTask } from './body-task.ts';
import { cardsWithCode } from './cards-with-code.ts';
import { hideCards } from './hide-cards.ts';
import { findCards } from './read-cards.ts';

type Bytes = Buffer<ArrayBuffer>;

/** @throws ServiceError if the body cannot be read or filled */
export function doTask(task: BodyTask, body: Bytes, selectorsOf: (task: BodyTask) => Selectors): BodyResult {
	switch (task.kind) {
		case 'read': {
			const { contentType } = task;
			const { body: kind, inPlace } = task.profile;
			const { found, read: cards } = findCards({ body, kind, selectors: selectorsOf(task), contentType }, task.now);
			if (cards.kind !== 'read') return { bytes: body, cards };
			const { bytes, tokenOffsets } = hideCards(body, found, cards.cards, inPlace);
			return { bytes: bytes as Bytes, cards, tokenOffsets };
		}
		case 'fill': {
			const { profile, cards, contentType } = task;
			const { bytes, hasCode, codePlaces } = selectorsOf(task).fillBeforeCodes(body, cards, contentType);
			const codes = cardsWithCode(profile, hasCode, { body, count: cards.length });
			return { bytes: bytes as Bytes, codes, codePlaces };
		}
		case 'try': {
			const { contentType } = task;
			const selectors = selectorsOf(task);
			const trial = tryProfile({ ...task.profile, selectors }, { body, contentType, now: task.now });
			return { bytes: body, tried: { trial, spans: selectors.spans(body, contentType) } };
		}
		case 'profile':
			return { bytes: NO_BYTES, parsed: parsedProfile(body.toString(), task.options) };
		case 'destination':
			return { bytes: NO_BYTES, destination: parsedDestination(body.toString(), task.apart) };
		case 'echoes':
			return { bytes: bodyWithoutEchoes(body, task.numbers, task.contentType) as Bytes };
	}
}

const NO_BYTES = Buffer.alloc(0);

function parsedProfile(text: string, options: ParseOptions): BodyResult['parsed'] {
	try {
		return { profile: parseProfile(text, options) };
	} catch (error) {
		if (error instanceof ProfileError) return { problems: error.problems };
		throw error;
	}
}

function parsedDestination(text: string, apart: DestinationTask['apart']): BodyResult['destination'] {
	try {
		return parseDestination(text, apart);
	} catch (error) {
		if (error instanceof DestinationError) return { faults: error.faults };
		throw error;
	}
}
