// Does the work on one body. This code runs in the main thread for small bodies, and in a worker thread for large ones.

import { bodyWithoutEchoes } from '../echo.ts';
import { tryProfile } from '../profile-trial.ts';
import type { Selectors } from '../selectors/selectors.ts';
import type { BodyResult, BodyTask } from './body-task.ts';
import { cardsWithCode } from './cards-with-code.ts';
import { hideCards } from './hide-cards.ts';
import { findCards } from './read-cards.ts';

type Bytes = Buffer<ArrayBuffer>;

/**
 * Does a task on a body.
 * @throws ServiceError if the body cannot be read or filled
 */
export function doTask(task: BodyTask, body: Bytes, selectorsOf: (task: BodyTask) => Selectors): BodyResult {
	const { contentType } = task;
	switch (task.kind) {
		case 'read': {
			const { body: kind, inPlace } = task.profile;
			const { found, read: cards } = findCards({ body, kind, selectors: selectorsOf(task), contentType }, task.now);
			if (cards.kind !== 'read') return { bytes: body, cards };
			const { bytes, tokenOffsets } = hideCards(body, found, cards.cards, inPlace);
			return { bytes: bytes as Bytes, cards, tokenOffsets };
		}
		case 'fill': {
			const { profile, cards } = task;
			const { bytes, hasCode, codePlaces } = selectorsOf(task).fillBeforeCodes(body, cards, contentType);
			const codes = cardsWithCode(profile, hasCode, { body, count: cards.length });
			return { bytes: bytes as Bytes, codes, codePlaces };
		}
		case 'try': {
			const selectors = selectorsOf(task);
			const trial = tryProfile({ ...task.profile, selectors }, { body, contentType, now: task.now });
			return { bytes: body, tried: { trial, spans: selectors.spans(body, contentType) } };
		}
		case 'echoes':
			return { bytes: bodyWithoutEchoes(body, task.numbers, contentType) as Bytes };
	}
}
