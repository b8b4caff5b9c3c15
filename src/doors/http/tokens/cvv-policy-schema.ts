// Defines the schemas of CVV retention policies as callers send and get them (shapes §3).

import { type Static, Type } from '@sinclair/typebox';
import { CVV_DESTINATION_TYPES } from '../../../vault/cvvs/destination-types.ts';
import { answerOf, type DocumentBody } from '../calls/content.ts';
import { choice, optionalText } from '../calls/fields.ts';
import { CVV_ENDS } from '../calls/samples.ts';
import { named, noted } from '../input/schema-notes.ts';

/** The most destinations of a CVV policy, uses for each of them, and characters in the name of one. */
export const MAX_DESTINATIONS = 50;
export const MAX_QUOTA = 50;
export const MAX_DATA_CHARACTERS = 255;

const QUOTA = Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_QUOTA }));
const DATA = optionalText('The host name, user ID or gateway that is meant.', { maxLength: MAX_DATA_CHARACTERS });

const DESTINATION_ORDER = named(
	'CvvRetentionDestinationOrder',
	Type.Object({ DestinationType: choice(CVV_DESTINATION_TYPES), DestinationData: DATA, Quota: QUOTA }),
);
const POLICY_ORDER = named(
	'CvvRetentionPolicyOrder',
	Type.Object({
		CvvEndRetentionDate: optionalText('ISO 8601, at most 48 months ahead.'),
		DeleteCardUponCvvCleanup: Type.Optional(Type.Boolean()),
		CvvRetentionPolicyList: Type.Optional(
			noted(Type.Array(DESTINATION_ORDER, { maxItems: MAX_DESTINATIONS }), { things: 'destinations' }),
		),
	}),
);
export type DestinationOrder = Static<typeof DESTINATION_ORDER>;
export type PolicyOrder = Static<typeof POLICY_ORDER>;

const SHAPE = {
	root: 'CardCvvRetentionPolicy',
	items: { CvvRetentionPolicyList: 'CvvRetentionPolicyDestination' },
} as const;

export const POLICY_BODY = {
	...SHAPE,
	schema: POLICY_ORDER,
	example: {
		DeleteCardUponCvvCleanup: false,
		CvvRetentionPolicyList: [{ DestinationType: 'HostName', DestinationData: 'partner.example', Quota: 2 }],
	},
} as const satisfies DocumentBody;

/**
 * The body of a call that sets one destination of a CVV policy. The path of this call contains the type of the
 * destination, so its name is in the body.
 */
export const DESTINATION_BODY = {
	root: 'CvvRetentionPolicyDestination',
	schema: Type.Object({ DestinationData: DATA, Quota: QUOTA }),
	example: { DestinationData: 'partner.example', Quota: 2 },
} as const satisfies DocumentBody;

/** The body of a call that sets one destination of a CVV policy, whose path has its type and name. */
export const QUOTA_BODY = {
	root: DESTINATION_BODY.root,
	schema: Type.Object({ Quota: QUOTA }),
	example: { Quota: 2 },
} as const satisfies DocumentBody;

const DESTINATION = named(
	'CvvRetentionPolicyDestination',
	Type.Object({
		DestinationType: Type.String(),
		DestinationData: Type.String(),
		Quota: Type.Integer(),
		Usage: Type.Integer(),
	}),
);
export const POLICY_SHAPE = answerOf(SHAPE, 'CardCvvRetentionPolicy', {
	CvvEndRetentionDate: [Type.String({ format: 'date-time' }), CVV_ENDS],
	DeleteCardUponCvvCleanup: [Type.Boolean(), false],
	CvvRetentionPolicyList: [
		Type.Array(DESTINATION),
		[{ DestinationType: 'HostName', DestinationData: 'partner.example', Quota: 2, Usage: 0 }],
	],
});
