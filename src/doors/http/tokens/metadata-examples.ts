// Example metadata of a token for the OpenAPI document.

import { CREATED, CVV_ENDS, TOKEN_URI } from '../calls/samples.ts';
import type { ListedMetadata, Metadata } from './metadata-answer.ts';

export const LISTED_EXAMPLE: ListedMetadata = {
	CreateDate: CREATED,
	CardType: 'Visa',
	LastDigits: '1111',
	LeadingDigits: '411111',
	ExpirationYear: '2030',
	ExpirationMonth: '04',
	OwnerID: null,
	UserID: 'agency',
	IssueNumber: null,
	OwnerName: null,
	URI: TOKEN_URI,
	EndRetentionDate: CVV_ENDS,
	CvvExists: true,
	VirtualInfo: null,
	AssociatedMerchants: ['partner'],
	AssociatedProperties: [],
};

export const METADATA_EXAMPLE: Metadata = { CreatorReference: 'order-1', ...LISTED_EXAMPLE };

export const LISTED_EXAMPLE_CSV = `${Object.keys(LISTED_EXAMPLE).join(',')}\r\n${CREATED},Visa,1111,411111,2030,04,,agency,,,${TOKEN_URI},${CVV_ENDS},true,,partner,\r\n`;
