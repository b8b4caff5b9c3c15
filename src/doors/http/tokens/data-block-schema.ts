// Defines the schemas of data blocks as callers send and get them (shapes §3).

import { type Static, Type } from '@sinclair/typebox';
import type { DocumentBody } from '../calls/content.ts';
import { nullable, reference, text } from '../calls/fields.ts';
import { CREATED, TOKEN } from '../calls/samples.ts';
import { named } from '../input/schema-notes.ts';

const ORDER = named(
	'DataBlockOrder',
	Type.Object({
		Payload: text('What is to be kept.'),
		Reference: reference('Yours; need not be unique.'),
	}),
);
export type DataBlockOrder = Static<typeof ORDER>;

export const DATA_BLOCK_BODY = {
	root: 'DataBlock',
	schema: ORDER,
	example: { Payload: 'a note', Reference: 'order-1' },
} as const satisfies DocumentBody;

const LISTED = {
	Token: Type.String(),
	URI: Type.String(),
	CreateDate: Type.String({ format: 'date-time' }),
	Reference: nullable(),
	UserID: nullable(),
};
export const LISTED_DATA_BLOCK = named('ListedDataBlock', Type.Object(LISTED));
export const FULL_DATA_BLOCK = named('DataBlock', Type.Object({ ...LISTED, Payload: Type.String() }));

export const DATA_BLOCK_EXAMPLE = {
	Token: TOKEN,
	URI: `https://vault.example/api/datablocks/${TOKEN}`,
	CreateDate: CREATED,
	Reference: 'order-1',
	UserID: 'agency',
};
