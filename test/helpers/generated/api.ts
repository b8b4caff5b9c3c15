// Made of /openapi.json by `npm run generate:client`; a test compares. Not to be edited.

export type Schemas = {
	Service: {
		name: string;
		environment: 'sandbox' | 'production';
		links: {
			/** For people. */
			documentation: string;
			/** For generators. */
			openapi: string;
			/** That access tokens are made with. */
			certificate: string;
		};
	};
	StandardError: {
		/** Narrows the class of failure. */
		code: number;
		/** Fixed text of the code; with 403 the specific reason. */
		message: string | null;
		/** What is wrong with which field; with 403 the fixed text. */
		moreInfo: string | null;
	};
	LoggedCall: {
		/** `X-Request-Id` of the answer. */
		id: string;
		/** When the answer ended. */
		time: string;
		method: string;
		/** With the names of its parameters. */
		route: string;
		status: number;
		/** How the answer ended; `broken-off` if a streamed answer ended early, `caller-gone` if the caller left before its end. */
		outcome: 'complete' | 'broken-off' | 'caller-gone' | null;
		/** Of the error, also of one that broke off a streamed answer. */
		message: string | null;
		/** Of the error. */
		moreInfo: string | null;
		/** Id of the key that was used. */
		credential: string | null;
	};
	MaskedCard: {
		BankCard: Schemas['MaskedBankCard'];
	};
	MaskedBankCard: {
		Type: 'Unspecified' | 'AMEX' | 'BC' | 'CartaSi' | 'Dankort' | 'Delta' | 'DinersClub' | 'Discover' | 'Electron' | 'Elo' | 'enRoute' | 'Hipercard' | 'JCB' | 'Maestro' | 'MasterCard' | 'Switch' | 'Troy' | 'UATP' | 'UnionPay' | 'Visa' | 'Mir' | 'RuPay' | 'Verve' | 'Mada' | 'CartesBancaires' | 'Uzcard' | 'Humo' | 'Napas' | 'PayPak' | 'ArCa' | 'Belkart' | 'Prostir' | null;
		Virtual: {
			'@isMultiuse'?: boolean;
			'@currency'?: string;
			'@maxAmount'?: string;
		} | null;
		/** First six digits, asterisks, last four. */
		Number: string;
		NameOnCard: string | null;
		ExpirationDate: {
			Month: string;
			Year: string;
		} | null;
		IssueNumber: string | null;
		OwnerID: string | null;
	};
	CardData: {
		/** 1.0 */
		'@schemaVersion'?: string;
		BankCard: Schemas['BankCard'];
	};
	BankCard: {
		/** Checked against the number; a mismatch is a warning. Codes such as `VI` are taken too. */
		Type?: 'Unspecified' | 'AMEX' | 'BC' | 'CartaSi' | 'Dankort' | 'Delta' | 'DinersClub' | 'Discover' | 'Electron' | 'Elo' | 'enRoute' | 'Hipercard' | 'JCB' | 'Maestro' | 'MasterCard' | 'Switch' | 'Troy' | 'UATP' | 'UnionPay' | 'Visa' | 'Mir' | 'RuPay' | 'Verve' | 'Mada' | 'CartesBancaires' | 'Uzcard' | 'Humo' | 'Napas' | 'PayPak' | 'ArCa' | 'Belkart' | 'Prostir' | null;
		Virtual?: {
			'@isMultiuse'?: boolean | string | null;
			/** Three letters of ISO 4217. */
			'@currency'?: string | null;
			'@maxAmount'?: number | string | null;
		} | null;
		/** 12 digits to 22 characters; blanks and hyphens are tolerated. */
		Number: string;
		/** As on the card. */
		NameOnCard?: string | null;
		ExpirationDate: {
			/** 01 to 12 */
			Month: string;
			/** Four digits. */
			Year: string;
		};
		/** Some debit cards have one. */
		IssueNumber?: string | null;
		/** Yours. */
		OwnerID?: string | null;
		/** 3 or 4 digits. */
		CVV?: string | null;
	};
	ListedCardMetadata: {
		CreateDate: string;
		CardType: 'Unspecified' | 'AMEX' | 'BC' | 'CartaSi' | 'Dankort' | 'Delta' | 'DinersClub' | 'Discover' | 'Electron' | 'Elo' | 'enRoute' | 'Hipercard' | 'JCB' | 'Maestro' | 'MasterCard' | 'Switch' | 'Troy' | 'UATP' | 'UnionPay' | 'Visa' | 'Mir' | 'RuPay' | 'Verve' | 'Mada' | 'CartesBancaires' | 'Uzcard' | 'Humo' | 'Napas' | 'PayPak' | 'ArCa' | 'Belkart' | 'Prostir' | null;
		/** The last four. */
		LastDigits: string | null;
		/** The first six. */
		LeadingDigits: string | null;
		/** Four digits. */
		ExpirationYear: string | null;
		/** 01 to 12. */
		ExpirationMonth: string | null;
		/** The caller's own id for the cardholder. */
		OwnerID: string | null;
		/** User that stored the card. */
		UserID: string | null;
		IssueNumber: string | null;
		/** Name on the card. */
		OwnerName: string | null;
		URI: string;
		/** When a kept CVV is destroyed. */
		EndRetentionDate: string | null;
		CvvExists: boolean;
		VirtualInfo: {
			'@isMultiuse'?: boolean;
			'@currency'?: string;
			'@maxAmount'?: string;
		} | null;
		AssociatedMerchants: (string)[];
		AssociatedProperties: (string)[];
	};
	CardMetadata: {
		CreatorReference: string | null;
		CreateDate: string;
		CardType: 'Unspecified' | 'AMEX' | 'BC' | 'CartaSi' | 'Dankort' | 'Delta' | 'DinersClub' | 'Discover' | 'Electron' | 'Elo' | 'enRoute' | 'Hipercard' | 'JCB' | 'Maestro' | 'MasterCard' | 'Switch' | 'Troy' | 'UATP' | 'UnionPay' | 'Visa' | 'Mir' | 'RuPay' | 'Verve' | 'Mada' | 'CartesBancaires' | 'Uzcard' | 'Humo' | 'Napas' | 'PayPak' | 'ArCa' | 'Belkart' | 'Prostir' | null;
		/** The last four. */
		LastDigits: string | null;
		/** The first six. */
		LeadingDigits: string | null;
		/** Four digits. */
		ExpirationYear: string | null;
		/** 01 to 12. */
		ExpirationMonth: string | null;
		/** The caller's own id for the cardholder. */
		OwnerID: string | null;
		/** User that stored the card. */
		UserID: string | null;
		IssueNumber: string | null;
		/** Name on the card. */
		OwnerName: string | null;
		URI: string;
		/** When a kept CVV is destroyed. */
		EndRetentionDate: string | null;
		CvvExists: boolean;
		VirtualInfo: {
			'@isMultiuse'?: boolean;
			'@currency'?: string;
			'@maxAmount'?: string;
		} | null;
		AssociatedMerchants: (string)[];
		AssociatedProperties: (string)[];
	};
	CardCvvRetentionPolicy: {
		CvvEndRetentionDate: string;
		DeleteCardUponCvvCleanup: boolean;
		CvvRetentionPolicyList: (Schemas['CvvRetentionPolicyDestination'])[];
	};
	CvvRetentionPolicyDestination: {
		DestinationType: string;
		DestinationData: string;
		Quota: number;
		Usage: number;
	};
	CvvRetentionPolicyOrder: {
		/** ISO 8601, at most 48 months ahead. */
		CvvEndRetentionDate?: string | null;
		DeleteCardUponCvvCleanup?: boolean;
		CvvRetentionPolicyList?: (Schemas['CvvRetentionDestinationOrder'])[];
	};
	CvvRetentionDestinationOrder: {
		DestinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
		/** The host name, user ID or gateway that is meant. */
		DestinationData?: string | null;
		Quota?: number;
	};
	ListedDataBlock: {
		Token: string;
		URI: string;
		CreateDate: string;
		Reference: string | null;
		UserID: string | null;
	};
	DataBlockOrder: {
		/** What is to be kept. */
		Payload: string;
		/** Yours; need not be unique. */
		Reference?: string | null;
	};
	DataBlock: {
		Token: string;
		URI: string;
		CreateDate: string;
		Reference: string | null;
		UserID: string | null;
		Payload: string;
	};
	BatchLine: {
		index: number;
		token: string | null;
		uri: string | null;
		error: string | null;
		warning: string | null;
	};
	Job: {
		id: string;
		state: 'queued' | 'running' | 'done' | 'failed';
		filter: string;
		operation: 'tokenize' | 'detokenize';
		name: string;
		bytesRead: number;
		bytesTotal: number;
		cards: number;
		refused: number;
		warned: number;
		/** Numbers that look like cards outside the places for them. */
		otherNumbers: number;
		createdAt: string;
		finishedAt: string | null;
		error: Schemas['JobError'] | null;
		/** User ID of the account. */
		account: string;
		/** Security codes outside the places for them. */
		otherCodes: number;
		/** How often it was begun. */
		attempts: number;
		nextAttemptAt: string | null;
		/** Why an attempt that was not the last one failed. */
		lastFailure: {
			reason: string;
			message: string;
			at: string;
		} | null;
	};
	JobError: {
		reason: string;
		message: string;
		/** In the file. */
		at?: {
			offset: number;
			line?: number;
			record?: number;
		};
	};
	RelayedFile: {
		fileName: string;
		host: string;
		/** Fingerprint of the key the host has shown */
		hostKey: string;
		/** Of the body */
		bytesRead: number;
		/** Of the file at the partner */
		bytesWritten: number;
		/** Tokens that were replaced */
		cards: number;
		/** Always 0 in this direction */
		refused: number;
		/** Cards with a warning */
		warned: number;
		/** Tokens that stayed: they do not exist or this account may not use them */
		unresolved: number;
		/** What stayed a token and where, at most 100 of them */
		report: (Record<string, unknown>)[];
	};
	JobReport: {
		/** What is worth saying of the file as a whole. */
		notices: (string)[];
		id: string;
		state: 'queued' | 'running' | 'done' | 'failed';
		filter: string;
		operation: 'tokenize' | 'detokenize';
		name: string;
		bytesRead: number;
		bytesTotal: number;
		cards: number;
		refused: number;
		warned: number;
		/** Numbers that look like cards outside the places for them. */
		otherNumbers: number;
		createdAt: string;
		finishedAt: string | null;
		error: Schemas['JobError'] | null;
		/** Null for a failed job. */
		counts: Record<string, unknown> | null;
		/** Warnings of cards that were tokenized, each with its first places. */
		warnings: ({
			text: string;
			cards: number;
			places: ({
				record?: number;
				line: number;
				offset: number;
				field?: string;
			})[];
		})[];
		/** Why cards were refused or tokens not resolved, each with its first places. */
		refusals: ({
			text: string;
			cards: number;
			places: ({
				record?: number;
				line: number;
				offset: number;
				field?: string;
			})[];
		})[];
		/** Numbers that look like cards outside the places for them, with their first places. */
		others: ({
			text: string;
			cards: number;
			places: ({
				record?: number;
				line: number;
				offset: number;
				field?: string;
			})[];
		})[];
		/** Entries left out; the option report.cards brings all. */
		entriesOmitted: number;
		entries: (Schemas['JobReportEntry'])[];
	};
	JobReportEntry: {
		record?: number;
		line: number;
		offset: number;
		field?: string;
		outcome: 'tokenized' | 'detokenized' | 'refused' | 'unresolved' | 'otherNumber' | 'otherCode';
		reason?: string;
		warnings?: (string)[];
		cardType?: string;
		lastFour?: string;
		/** First six and last four digits. */
		number?: string;
	};
	ListedRoute: {
		name: string;
		state: 'waiting' | 'running' | 'paused' | 'failing' | 'stopped';
		/** By its times; null if it has none, is paused or is stopped. */
		nextRunAt: string | null;
		lastRunAt: string | null;
		/** The state in which the last run ended. */
		lastOutcome: string | null;
		timeZone: string;
	};
	Route: {
		name: string;
		state: 'waiting' | 'running' | 'paused' | 'failing' | 'stopped';
		/** By its times; null if it has none, is paused or is stopped. */
		nextRunAt: string | null;
		lastRunAt: string | null;
		/** The state in which the last run ended. */
		lastOutcome: string | null;
		timeZone: string;
		/** Why it is stopped until somebody resumes it. */
		stoppedBecause?: string;
		/** With every default; docs/routes.md. */
		document: Record<string, unknown>;
	};
	RouteRun: {
		run: string;
		route: string;
		trigger: 'cron' | 'every' | 'arrival' | 'hand' | 'http' | 'missed';
		state: 'running' | 'done' | 'partly' | 'failed' | 'stopped';
		startedAt: string;
		endedAt: string | null;
		files: ({
			path: string;
			name: string;
			size: number;
			state: 'delivered' | 'skipped' | 'failed' | 'dead';
			reason: string | null;
			/** Id of its job. */
			job: string | null;
			cards: number | null;
			refused: number | null;
			/** Its path at the target. */
			deliveredAs: string | null;
			tries: number;
		})[];
		/** Why the run could not go on. */
		reason: string | null;
	};
	RouteFile: {
		path: string;
		size: number;
		modifiedAt: string;
		/** Of its content. */
		sha256: string | null;
		state: 'seen' | 'claimed' | 'done' | 'dead';
		run: string | null;
		tries: number;
		nextTryAt: string | null;
		reason: string | null;
	};
	RetriedFiles: {
		name: string;
		files: (string)[];
	};
	RouteRetry: {
		/** The path of a file that was given up. */
		file?: string | null;
		/** The run in which files were given up. */
		run?: string | null;
	};
	EventEndpoint: {
		name: string;
		kind: 'webhook' | 'mail';
		/** The URL, or the mail address. */
		target: string;
		/** The types of events, separated by commas; null for all. */
		types: string | null;
		/** How calls are signed; null for a mailbox. */
		signature: string | null;
		state: 'active' | 'failing' | 'paused' | 'disabled';
		/** Why it is disabled. */
		reason: string | null;
		createdAt: string;
		updatedAt: string;
	};
	NewEventEndpoint: {
		name: string;
		kind: 'webhook' | 'mail';
		/** The URL, or the mail address. */
		target: string;
		/** The types of events, separated by commas; null for all. */
		types: string | null;
		/** How calls are signed; null for a mailbox. */
		signature: string | null;
		state: 'active' | 'failing' | 'paused' | 'disabled';
		/** Why it is disabled. */
		reason: string | null;
		createdAt: string;
		updatedAt: string;
		/** What the receiver checks signatures with. It is shown once. */
		secret: string;
	};
	EventEndpointPlan: {
		/** What is called. */
		url: string;
		/** The types of events, separated by commas; without it, all. */
		types?: string | null;
		/** `v1`: a shared secret, which is the default. `v1a`: Ed25519. */
		signature?: 'v1' | 'v1a';
	};
	EventMailboxPlan: {
		/** The types of events, separated by commas; without it, all. */
		types?: string | null;
	};
	EventEndpointTest: {
		/** The id of the event that was sent. */
		id: string;
		received: boolean;
		/** What the receiver answered. */
		status: number | null;
		/** Why it does not count as received. */
		reason: string | null;
	};
	Event: {
		id: string;
		type: string;
		timestamp: string;
		/** By its type; see the webhooks of this document. */
		data: Record<string, unknown>;
		deliveries: ({
			/** Null once the endpoint is removed. */
			endpoint: string | null;
			state: 'waiting' | 'sent' | 'failed';
			tries: number;
			/** What the receiver answered last. */
			status: number | null;
			reason: string | null;
			nextTryAt: string | null;
			endedAt: string | null;
		})[];
	};
	ReplayedEvents: {
		deliveries: number;
	};
	EventReplay: {
		/** Events from this time on. This or `id` is needed. */
		from?: string | null;
		/** Events before this time. */
		to?: string | null;
		/** Only this event. */
		id?: string | null;
		/** Only to this endpoint. */
		endpoint?: string | null;
	};
	Preset: {
		Name: string;
		Description: string | null;
		TargetUri: string | null;
		HttpMethod: string;
		ContentType: string | null;
	};
	PaymentGatewayDriver: {
		Name: string;
		Operations: ('PreAuth' | 'Capture' | 'Charge' | 'Refund' | 'Void')[];
		Credentials: ({
			Name: string;
			Description: string;
			Secret: boolean;
			Required: boolean;
		})[];
	};
	PaymentGatewayResponse: {
		OperationType: 'PreAuth' | 'Capture' | 'Charge' | 'Refund' | 'Void';
		OperationResultCode: 'Success' | 'Accepted' | 'Rejected' | 'TemporaryFailure' | 'FatalFailure';
		OperationResultDescription: string;
		GatewayName: string;
		/** Names the payment in a later Capture, Refund or Void. */
		GatewayReference: string | null;
		GatewayResultCode: string | null;
		GatewayResultDescription: string | null;
		AuthorizationCode: string | null;
		/** Major units. */
		Amount: number | null;
		Currency: string | null;
	};
	PaymentGatewayRequest: {
		OperationType: 'PreAuth' | 'Capture' | 'Charge' | 'Refund' | 'Void';
		/** Token URI; for PreAuth and Charge this or a card. */
		CardToken?: string | null;
		Card?: Schemas['BankCard'] | null;
		/** Yours; transactions are found by it. */
		MyRef?: string | null;
		/** Major units; a Void may go without. */
		Amount?: number | string;
		/** Three letters of ISO 4217. */
		Currency?: string;
		/** Of the payment that a Capture, Refund or Void is about. */
		GatewayReference?: string | null;
		PaymentGateway?: Schemas['GatewayCredentials'];
		PayerDetails?: {
			Email?: string | null;
			Phone?: string | null;
			IpAddress?: string | null;
			Street?: string | null;
			City?: string | null;
			PostalCode?: string | null;
			State?: string | null;
			/** Two letters of ISO 3166. */
			Country?: string | null;
		};
	};
	GatewayCredentials: {
		/** Of `GET /api/paymentGateway`. */
		Name: string;
		/** As the gateway needs them. */
		Credentials?: Record<string, string>;
	};
	PaymentGatewayTransaction: {
		TransactionID: string;
		State: 'sent' | 'approved' | 'declined' | 'failed' | 'unknown';
		MyRef: string | null;
		/** The payment it was about. */
		OriginalReference: string | null;
		CreateDate: string;
		/** When its outcome was known. */
		SettleDate: string | null;
		OperationType: 'PreAuth' | 'Capture' | 'Charge' | 'Refund' | 'Void';
		OperationResultCode: 'Success' | 'Accepted' | 'Rejected' | 'TemporaryFailure' | 'FatalFailure';
		OperationResultDescription: string;
		GatewayName: string;
		/** Names the payment in a later Capture, Refund or Void. */
		GatewayReference: string | null;
		GatewayResultCode: string | null;
		GatewayResultDescription: string | null;
		AuthorizationCode: string | null;
		/** Major units. */
		Amount: number | null;
		Currency: string | null;
	};
	StoredGatewayCredentials: {
		CredentialsId: string;
		Name: string;
		/** Secrets masked. */
		Credentials: Record<string, string | null>;
		CreateDate: string;
		UpdateDate: string;
	};
	FieldErrors: {
		/** What is wrong, by the name of the field. */
		errors: Record<string, (string)[]>;
	};
	MadeCardRequest: {
		requestID: string;
		/** The link for the cardholder. */
		url: string;
	};
	CardRequestOrder: {
		/** User ID of the caller. */
		SenderID: string;
		/** Of page and mail, such as `de` or `pt-BR`; English for one that there is no translation for. */
		Language?: string | null;
		/** Style sheet for the page; what could load or read something is left out. */
		Css?: string | null;
		/** How the mail addresses its reader. */
		RecipientName?: string | null;
		/** Where the link is mailed; without it, or without a mail server, nothing is. */
		RecipientEmail?: string | null;
		/** Not called and not written to. */
		RecipientPhone?: string | null;
		/** Yours; the card is found by it. The requestID unless given. */
		CreatorReference?: string | null;
		/** Whether the CVV must be entered; otherwise it may be left out. */
		RequireCvv?: boolean | string | null;
		/** Card types that are taken, comma separated; all of them unless given. */
		CardTypes?: string | null;
		/** For which the link works; 3 days unless the operator has set another time. */
		ExpirationMinutes?: number | null;
		/** Where the page goes after the card was stored: https, of a registered origin. */
		SuccessUrl?: string | null;
		/** Where the page goes if the card cannot be stored: https, of a registered origin. */
		FailureUrl?: string | null;
	};
	CvvRequestOrder: {
		/** User ID of the caller. */
		SenderID: string;
		/** Of page and mail, such as `de` or `pt-BR`; English for one that there is no translation for. */
		Language?: string | null;
		/** Style sheet for the page; what could load or read something is left out. */
		Css?: string | null;
		/** How the mail addresses its reader. */
		RecipientName?: string | null;
		/** Where the link is mailed; without it, or without a mail server, nothing is. */
		RecipientEmail?: string | null;
		/** Not called and not written to. */
		RecipientPhone?: string | null;
		/** Yours; the card is found by it. The requestID unless given. */
		CreatorReference?: string | null;
		/** Whether the CVV must be entered; otherwise it may be left out. */
		RequireCvv?: boolean | string | null;
		/** Card types that are taken, comma separated; all of them unless given. */
		CardTypes?: string | null;
		/** For which the link works; 3 days unless the operator has set another time. */
		ExpirationMinutes?: number | null;
		/** Where the page goes after the card was stored: https, of a registered origin. */
		SuccessUrl?: string | null;
		/** Where the page goes if the card cannot be stored: https, of a registered origin. */
		FailureUrl?: string | null;
		/** Token URI of the card, or a bare token. Only its owner may ask. */
		cardUri: string;
	};
	CardRequest: {
		RequestID: string;
		SenderID: string;
		Status: 'MessageQueued' | 'MessageSent' | 'MessageFailed' | 'FormViewed' | 'CardStored' | 'StoreFailed' | 'LinkExpired';
		CreateDate: string;
		ExpirationDate: string;
		CreatorReference: string;
	};
	CardView: {
		viewID: string;
		expirationDate: string;
		/** The link; null if it was mailed. */
		url: string | null;
		/** The code that the link asks for; null if it was mailed. */
		code: string | null;
	};
	CardViewOrder: {
		/** Token URI, or a bare token. */
		cardToken: string;
		/** Where the link is mailed; required where there is a mail server. */
		email?: string | null;
		/** Not called and not written to. */
		phoneNumber?: string | null;
		/** How the mail addresses its reader. */
		viewerName?: string | null;
		/** Minutes for which the link works; 60 unless the operator has set another time. */
		ttl?: number | null;
		/** Of page and mail, such as `de` or `pt-BR`; English for one that there is no translation for. */
		language?: string | null;
	};
	WalletToken: {
		/** The session token. */
		token: string;
	};
	WalletOperation: {
		operation: 'CHARGE' | 'TOKENIZE' | 'CHARGE_AND_TOKENIZE' | 'PREAUTH_AND_TOKENIZE';
		/** Major units; required unless nothing is paid. */
		amount?: number | string | null;
		/** Three letters of ISO 4217; required unless nothing is paid. */
		currencyCode?: string | null;
		/** A gateway that needs no credentials. */
		gateway?: string | null;
		/** Gateway credentials that are kept here. */
		credentialsId?: string | null;
		/** Yours; transactions are found by it. */
		myRef?: string | null;
		/** Yours; the card is found by it. */
		ref?: string | null;
		/** User ID of an account that may use the card too. */
		merchantId?: string | null;
		/** For TOKENIZE: whether the CVV is kept. */
		saveCVV?: boolean | string | null;
		/** Card types that are taken, comma separated; all of them unless given. */
		cardTypes?: string | null;
	};
	WalletSession: {
		operation: 'CHARGE' | 'TOKENIZE' | 'CHARGE_AND_TOKENIZE' | 'PREAUTH_AND_TOKENIZE';
		status: 'open' | 'completed' | 'failed' | 'unknown' | 'paid' | 'expired';
		/** Major units. */
		amount: number | null;
		currencyCode: string | null;
		environment: 'sandbox' | 'production';
		expiresAt: string;
		cardTypes: (string)[];
	};
	WalletResult: {
		operation: 'CHARGE' | 'TOKENIZE' | 'CHARGE_AND_TOKENIZE' | 'PREAUTH_AND_TOKENIZE';
		status: 'open' | 'completed' | 'failed' | 'unknown' | 'paid' | 'expired';
		myRef: string | null;
		upgChargeResults: Schemas['PaymentGatewayResponse'] | null;
		tokenAndMaskedCardModel: {
			/** Token URI. */
			cardToken: string;
			maskedCard: Schemas['MaskedBankCard'];
		} | null;
	};
};

export type Responses = {
	Error400: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error400BadInputParameter: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error400BadInputParameterMessageMalformed: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error400Fields: {
		'text/json': Schemas['FieldErrors'];
		'application/xml': string;
	};
	Error400FileMalformed: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error400MessageMalformed: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401: undefined;
	Error401Bearer: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
		'text/plain': string;
	};
	Error401CvvRetentionNotSetUp: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401CvvRetentionNotSetUpBearer: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
		'text/plain': string;
	};
	Error401CvvRetentionNotSetUpSenderMismatch: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401CvvRetentionNotSetUpSenderMismatchTokenNotAccessible: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401CvvRetentionNotSetUpTokenNotAccessible: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401SenderMismatch: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error401TokenNotAccessible: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AllowanceExceeded: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AllowanceExceededAssociationTargetInvalid: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AllowanceExceededAssociationTargetInvalidEliminationLimitPassed: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AllowanceExceededOriginNotRegistered: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AllowanceExceededStorageQuotaExceeded: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403AssociationTargetInvalid: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403MailLimitReached: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error403OnlyOriginNotRegistered: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error404: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error404EndpointNotFound: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error409: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error429: undefined;
	Error500: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error500RowAltered: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error502: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error503DropStoreUnavailableKeyStoreUnavailable: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error503KeyStoreUnavailable: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
	Error504: {
		'text/json': Schemas['StandardError'];
		'application/xml': string;
	};
};

export type Operations = {
	/** Cancel a card request */
	'DELETE /api/cardrequest/{requestID}': {
		path: {
			/** Of the answer that made it. */
			requestID: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Delete a data block */
	'DELETE /api/datablocks/{cardToken}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Remove an endpoint of events */
	'DELETE /api/event-endpoints/{name}': {
		path: {
			/** The name of the endpoint. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Inbound gateway */
	'DELETE /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'DELETE /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Remove gateway credentials */
	'DELETE /api/paymentGateway/credentials/{credentialsId}': {
		path: {
			/** Yours; 1 to 64 letters, digits, dots, hyphens or underscores. */
			credentialsId: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Delete a token */
	'DELETE /api/payments/paycard/{cardToken}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Clear the CVV of a card */
	'DELETE /api/payments/paycard/{cardToken}/cvv': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Remove a CVV retention policy, or destinations of it */
	'DELETE /api/payments/paycard/{cardToken}/cvvRetentionPolicy': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Remove a CVV retention policy, or destinations of it */
	'DELETE /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Remove a CVV retention policy, or destinations of it */
	'DELETE /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}/{destinationData}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
			destinationData: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Dissociate every merchant from a token */
	'DELETE /api/payments/paycard/{cardToken}/merchants': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Dissociate a merchant from a token */
	'DELETE /api/payments/paycard/{cardToken}/merchants/{merchantId}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			/** User ID of a primary account. */
			merchantId: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Remove a route */
	'DELETE /api/routes/{name}': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** What this is */
	'GET /': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['Service'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			500: Responses['Error500'];
		};
	};
	/** Download the service certificate */
	'GET /api': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'application/pkix-cert': string;
			};
			400: Responses['Error400'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Preset tokenization profiles */
	'GET /api/booker': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['Preset'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read a card request */
	'GET /api/cardrequest/{requestID}': {
		path: {
			/** Of the answer that made it. */
			requestID: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['CardRequest'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Search data blocks */
	'GET /api/datablocks': {
		path: Record<string, never>;
		query: {
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** All of them unless given. */
			maxItems?: number;
			/** Zero-based offset. */
			offset?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['ListedDataBlock'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read a data block */
	'GET /api/datablocks/{cardToken}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['DataBlock'];
				'application/xml': string;
			};
			400: Responses['Error400BadInputParameter'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read a payments library session */
	'GET /api/eWalletOperation/session': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['WalletSession'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401Bearer'];
			403: Responses['Error403OnlyOriginNotRegistered'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List endpoints of events */
	'GET /api/event-endpoints': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['EventEndpoint'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List events */
	'GET /api/events': {
		path: Record<string, never>;
		query: {
			/** Only events of this type. */
			type?: string;
			/** Events from this time on. */
			from?: string;
			/** Events before this time. */
			to?: string;
			num?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['Event'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read an event */
	'GET /api/events/{id}': {
		path: {
			/** The id of the event. */
			id: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['Event'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Inbound gateway */
	'GET /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'GET /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** List jobs */
	'GET /api/jobs': {
		path: Record<string, never>;
		query: {
			state?: 'queued' | 'running' | 'done' | 'failed';
			/** Offset, from 0 */
			from?: number;
			num?: number;
			/** The folder: `GBT`. */
			filter?: 'AIR' | 'CSV' | 'GBT' | 'IUR' | 'SIMPLECSV' | 'SIMPLEJSON' | 'TADC';
			/** A part of the name, as it is spelled there. */
			name?: string;
			/** Accepted on this day (UTC): `2026-05-31`, `today` or `yesterday`. */
			day?: string;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['Job'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Look at a job */
	'GET /api/jobs/{id}': {
		path: {
			/** Last part of the `Location` that the file was answered with. */
			id: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['Job'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read the output of a job */
	'GET /api/jobs/{id}/output': {
		path: {
			/** Last part of the `Location` that the file was answered with. */
			id: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'application/octet-stream': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read the report of a job */
	'GET /api/jobs/{id}/report': {
		path: {
			/** Last part of the `Location` that the file was answered with. */
			id: string;
		};
		query: {
			format?: 'json' | 'xml' | 'csv';
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['JobReport'];
				'application/xml': string;
				'text/csv': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List payment gateways */
	'GET /api/paymentGateway': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['PaymentGatewayDriver'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read gateway credentials */
	'GET /api/paymentGateway/credentials/{credentialsId}': {
		path: {
			/** Yours; 1 to 64 letters, digits, dots, hyphens or underscores. */
			credentialsId: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['StoredGatewayCredentials'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List gateway transactions */
	'GET /api/paymentGateway/transactions': {
		path: Record<string, never>;
		query: {
			/** Those with this `MyRef`. */
			myRef?: string;
			/** A payment and everything done about it. */
			gatewayReference?: string;
			/** Zero-based offset. */
			from?: number;
			/** 100 unless given. */
			num?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['PaymentGatewayTransaction'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read a gateway transaction */
	'GET /api/paymentGateway/transactions/{transactionId}': {
		path: {
			/** Last part of `Location`. */
			transactionId: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['PaymentGatewayTransaction'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Open a form for a card */
	'GET /api/payments/capturecard': {
		path: Record<string, never>;
		query: {
			/** A style sheet of the account, by its name; `default` if absent. */
			brand?: string;
			/** The language of the page, as in `de` or `de-AT`; that of the browser if absent. */
			language?: string;
			/** A style sheet. What could load or read something is left out. */
			css?: string;
			/** Leave our own style sheet out. true or false. */
			removeBaseCss?: boolean;
			/** Put the cursor into the first field. true or false. */
			autoFocus?: boolean;
			/** Show no button, because the page around the form sends the message `submit`. true or false. */
			submitWithPostMessage?: boolean;
			/** Tell no problems in the form, because the page around it does. true or false. */
			useCustomValidation?: boolean;
			/** The origin of the page around the form; one that the account has registered. */
			postMessageHost?: string;
			/** 1 to 64 letters, digits, hyphens and underscores that mark the messages of this form. */
			formNonce?: string;
			/** Where the browser goes after success. May hold `{cardToken}` and other placeholders. */
			success?: string;
			/** Where the browser goes if no card can be stored. */
			failure?: string;
			/** `true` asks for a CVV, which is the rule, `optional` lets it be left out, `false` does not ask. */
			cvv?: string;
			/** Tell the type from the number, which is the rule, instead of asking for it. true or false. */
			autoDetectCardType?: boolean;
			/** The type that is chosen at first. */
			defaultCardType?: string;
			/** The types that are accepted, separated by commas. */
			cardTypes?: string;
			/** A month in which the card must still be valid, as in `2030-04`, `04/30` or `042030`. */
			minExpiration?: string;
			/** Months from now for which the card must be valid. */
			expirationMonths?: number;
			/** Ask for an id of the card owner. true or false. */
			showOwnerId?: boolean;
			/** Require a name, which is the rule, or let it be left out. true or false. */
			nameOnCardValidation?: boolean;
			/** A reference to store with the card. */
			creatorReference?: string;
			/** Give back the token the account already has for the card. true or false. */
			eliminateCardDuplication?: boolean;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Open a form for the CVV of a card */
	'GET /api/payments/capturecvv': {
		path: Record<string, never>;
		query: {
			/** Token URI, or a bare token. */
			cardUri: string;
			/** A style sheet of the account, by its name; `default` if absent. */
			brand?: string;
			/** The language of the page, as in `de` or `de-AT`; that of the browser if absent. */
			language?: string;
			/** A style sheet. What could load or read something is left out. */
			css?: string;
			/** Leave our own style sheet out. true or false. */
			removeBaseCss?: boolean;
			/** Put the cursor into the first field. true or false. */
			autoFocus?: boolean;
			/** Show no button, because the page around the form sends the message `submit`. true or false. */
			submitWithPostMessage?: boolean;
			/** Tell no problems in the form, because the page around it does. true or false. */
			useCustomValidation?: boolean;
			/** The origin of the page around the form; one that the account has registered. */
			postMessageHost?: string;
			/** 1 to 64 letters, digits, hyphens and underscores that mark the messages of this form. */
			formNonce?: string;
			/** Where the browser goes after success. May hold `{cardToken}` and other placeholders. */
			success?: string;
			/** Where the browser goes if no card can be stored. */
			failure?: string;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401CvvRetentionNotSetUpTokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Show a card in a page */
	'GET /api/payments/displaycard/{token}': {
		path: {
			/** 32 hexadecimal characters. */
			token: string;
		};
		query: {
			/** Style of the account, which the operator has stored. */
			brand?: string;
			/** Of the page, such as `de`; that of the browser unless given. */
			language?: string;
			/** Style sheet; what could load or read something is left out. */
			css?: string;
			/** masked until a click, or full at once. */
			displayMode?: 'masked' | 'full';
			/** Offer the CVV behind a button; each time it is shown counts as a use. true or false. */
			showCvv?: boolean;
			/** Registered origin of the page around the frame; it gets `frameDimensionsChanged:w:h`. */
			postMessageHost?: string;
			/** Added to the messages of this frame. */
			formNonce?: string;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Open a form for a card */
	'GET /api/payments/paycard/capturecard': {
		path: Record<string, never>;
		query: {
			/** A style sheet of the account, by its name; `default` if absent. */
			brand?: string;
			/** The language of the page, as in `de` or `de-AT`; that of the browser if absent. */
			language?: string;
			/** A style sheet. What could load or read something is left out. */
			css?: string;
			/** Leave our own style sheet out. true or false. */
			removeBaseCss?: boolean;
			/** Put the cursor into the first field. true or false. */
			autoFocus?: boolean;
			/** Show no button, because the page around the form sends the message `submit`. true or false. */
			submitWithPostMessage?: boolean;
			/** Tell no problems in the form, because the page around it does. true or false. */
			useCustomValidation?: boolean;
			/** The origin of the page around the form; one that the account has registered. */
			postMessageHost?: string;
			/** 1 to 64 letters, digits, hyphens and underscores that mark the messages of this form. */
			formNonce?: string;
			/** Where the browser goes after success. May hold `{cardToken}` and other placeholders. */
			success?: string;
			/** Where the browser goes if no card can be stored. */
			failure?: string;
			/** `true` asks for a CVV, which is the rule, `optional` lets it be left out, `false` does not ask. */
			cvv?: string;
			/** Tell the type from the number, which is the rule, instead of asking for it. true or false. */
			autoDetectCardType?: boolean;
			/** The type that is chosen at first. */
			defaultCardType?: string;
			/** The types that are accepted, separated by commas. */
			cardTypes?: string;
			/** A month in which the card must still be valid, as in `2030-04`, `04/30` or `042030`. */
			minExpiration?: string;
			/** Months from now for which the card must be valid. */
			expirationMonths?: number;
			/** Ask for an id of the card owner. true or false. */
			showOwnerId?: boolean;
			/** Require a name, which is the rule, or let it be left out. true or false. */
			nameOnCardValidation?: boolean;
			/** A reference to store with the card. */
			creatorReference?: string;
			/** Give back the token the account already has for the card. true or false. */
			eliminateCardDuplication?: boolean;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Open a form for the CVV of a card */
	'GET /api/payments/paycard/capturecvv': {
		path: Record<string, never>;
		query: {
			/** Token URI, or a bare token. */
			cardUri: string;
			/** A style sheet of the account, by its name; `default` if absent. */
			brand?: string;
			/** The language of the page, as in `de` or `de-AT`; that of the browser if absent. */
			language?: string;
			/** A style sheet. What could load or read something is left out. */
			css?: string;
			/** Leave our own style sheet out. true or false. */
			removeBaseCss?: boolean;
			/** Put the cursor into the first field. true or false. */
			autoFocus?: boolean;
			/** Show no button, because the page around the form sends the message `submit`. true or false. */
			submitWithPostMessage?: boolean;
			/** Tell no problems in the form, because the page around it does. true or false. */
			useCustomValidation?: boolean;
			/** The origin of the page around the form; one that the account has registered. */
			postMessageHost?: string;
			/** 1 to 64 letters, digits, hyphens and underscores that mark the messages of this form. */
			formNonce?: string;
			/** Where the browser goes after success. May hold `{cardToken}` and other placeholders. */
			success?: string;
			/** Where the browser goes if no card can be stored. */
			failure?: string;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401CvvRetentionNotSetUpTokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Show a card in a page */
	'GET /api/payments/paycard/displaycard/{token}': {
		path: {
			/** 32 hexadecimal characters. */
			token: string;
		};
		query: {
			/** Style of the account, which the operator has stored. */
			brand?: string;
			/** Of the page, such as `de`; that of the browser unless given. */
			language?: string;
			/** Style sheet; what could load or read something is left out. */
			css?: string;
			/** masked until a click, or full at once. */
			displayMode?: 'masked' | 'full';
			/** Offer the CVV behind a button; each time it is shown counts as a use. true or false. */
			showCvv?: boolean;
			/** Registered origin of the page around the frame; it gets `frameDimensionsChanged:w:h`. */
			postMessageHost?: string;
			/** Added to the messages of this frame. */
			formNonce?: string;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/html': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Query tokens */
	'GET /api/payments/paycard/meta': {
		path: Record<string, never>;
		query: {
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** Zero-based offset. */
			from?: number;
			/** Most items wanted; 100 unless given, as CSV all of them. There is no maximum. */
			num?: number;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
			/** `csv` for CSV, streamed; `json` and `xml` come before `Accept`. */
			format?: 'csv' | 'json' | 'xml' | '';
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['ListedCardMetadata'])[];
				'application/xml': string;
				'text/csv': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403AssociationTargetInvalid'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read the CVV retention policy of a card */
	'GET /api/payments/paycard/{cardToken}/cvvRetentionPolicy': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read the CVV retention policy of a card */
	'GET /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read the CVV retention policy of a card */
	'GET /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}/{destinationData}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
			destinationData: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List the merchants of a token */
	'GET /api/payments/paycard/{cardToken}/merchants': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (string)[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Metadata of a token */
	'GET /api/payments/paycard/{cardToken}/meta': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['CardMetadata'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List requests */
	'GET /api/requests': {
		path: Record<string, never>;
		query: {
			/** Zero-based offset. */
			from?: number;
			num?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['LoggedCall'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List routes */
	'GET /api/routes': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['ListedRoute'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Read a route */
	'GET /api/routes/{name}': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['Route'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List the files of a route */
	'GET /api/routes/{name}/files': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: {
			state?: 'seen' | 'claimed' | 'done' | 'dead';
			/** Offset, from 0 */
			from?: number;
			num?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['RouteFile'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** List the runs of a route */
	'GET /api/routes/{name}/runs': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: {
			state?: 'running' | 'done' | 'partly' | 'failed' | 'stopped';
			/** Begun on this day (UTC): `2026-05-31`, `today` or `yesterday`. */
			day?: string;
			/** Offset, from 0 */
			from?: number;
			num?: number;
		};
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': (Schemas['RouteRun'])[];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Inbound gateway */
	'HEAD /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'HEAD /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'OPTIONS /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'OPTIONS /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'PATCH /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'PATCH /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Universal tokenization */
	'POST /api/booker/{profileName}': {
		path: {
			/** Name of a preset, matched exactly. */
			profileName: string;
		};
		query: {
			/** Absolute address of the third party; the profile may have one. */
			targetUri?: string;
			/** How to call the third party: POST, GET, PUT, PATCH, DELETE. Unless given the profile's, else POST. */
			httpMethod?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
			/** Milliseconds for the whole round trip; at most 29,000, which is the default. */
			timeout?: number;
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
			/** Keep the CVVs; an account that is set up for it does unless told otherwise. true or false. */
			saveCVV?: boolean;
			/** Give back the tokens the account already has for the cards. true or false. */
			eliminateCardDuplication?: boolean;
		};
		header: {
			/** Goes out as `Authorization`; the profile's own wins. */
			'X-service-Target-Authorization'?: string;
			/** Goes out as `Cookie`. */
			'X-service-Target-Cookie'?: string;
			/** Goes out as `Idempotency-Key`. */
			'X-service-Target-Idempotency-Key'?: string;
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUp'];
			403: Responses['Error403AllowanceExceededAssociationTargetInvalid'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Make a link that shows a card once */
	'POST /api/card-view-request/initView': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CardViewOrder'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['CardView'];
				'application/xml': string;
			};
			400: Responses['Error400Fields'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403MailLimitReached'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Ask a cardholder for a card */
	'POST /api/cardrequest': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CardRequestOrder'];
			'application/xml': string;
		};
		responses: {
			201: {
				'text/json': Schemas['MadeCardRequest'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUpSenderMismatch'];
			403: Responses['Error403MailLimitReached'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Ask a cardholder for the CVV of a stored card */
	'POST /api/cardrequest/cvv': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CvvRequestOrder'];
			'application/xml': string;
		};
		responses: {
			201: {
				'text/json': Schemas['MadeCardRequest'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUpSenderMismatchTokenNotAccessible'];
			403: Responses['Error403MailLimitReached'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Store a data block */
	'POST /api/datablocks': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['DataBlockOrder'];
			'application/xml': string;
		};
		responses: {
			201: {
				'text/json': Schemas['ListedDataBlock'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Create a payments library session */
	'POST /api/eWalletOperation': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['WalletOperation'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['WalletToken'];
				'application/xml': string;
			};
			400: Responses['Error400Fields'];
			401: Responses['Error401CvvRetentionNotSetUp'];
			403: Responses['Error403AssociationTargetInvalid'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Carry out a payments library session */
	'POST /api/eWalletOperation/session/tokenize': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CardData'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['WalletResult'];
				'application/xml': string;
			};
			400: Responses['Error400Fields'];
			401: Responses['Error401CvvRetentionNotSetUpBearer'];
			403: Responses['Error403AllowanceExceededOriginNotRegistered'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Read the results of a payments library session */
	'POST /api/eWalletOperation/validateResults': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': {
				/** Of the session. */
				token: string;
			};
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['WalletResult'];
				'application/xml': string;
			};
			400: Responses['Error400Fields'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Rotate the secret of an endpoint of events */
	'POST /api/event-endpoints/{name}/rotate': {
		path: {
			/** The name of the endpoint. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['NewEventEndpoint'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Test an endpoint of events */
	'POST /api/event-endpoints/{name}/test': {
		path: {
			/** The name of the endpoint. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/json': Schemas['EventEndpointTest'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Deliver events again */
	'POST /api/events/replay': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['EventReplay'];
			'application/xml': string;
		};
		responses: {
			202: {
				'text/json': Schemas['ReplayedEvents'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Detokenize a file */
	'POST /api/files/detokenize': {
		path: Record<string, never>;
		query: {
			/** Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV */
			filter: 'AIR' | 'CSV' | 'GBT' | 'IUR' | 'SIMPLECSV' | 'SIMPLEJSON' | 'TADC';
			/** Make a job of it, answered with 202 once the file is here. true or false. */
			async?: boolean;
			/** What the file of a job is called; made up when absent */
			name?: string;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/octet-stream': string;
		};
		responses: {
			200: {
				'application/octet-stream': string;
			};
			202: {
				'text/json': Schemas['Job'];
				'application/xml': string;
			};
			400: Responses['Error400FileMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403AllowanceExceededStorageQuotaExceeded'];
			409: Responses['Error409'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503DropStoreUnavailableKeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Tokenize a file */
	'POST /api/files/tokenize': {
		path: Record<string, never>;
		query: {
			/** Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV */
			filter: 'AIR' | 'CSV' | 'GBT' | 'IUR' | 'SIMPLECSV' | 'SIMPLEJSON' | 'TADC';
			/** Make a job of it, answered with 202 once the file is here. true or false. */
			async?: boolean;
			/** What the file of a job is called; made up when absent */
			name?: string;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/octet-stream': string;
		};
		responses: {
			200: {
				'application/octet-stream': string;
			};
			202: {
				'text/json': Schemas['Job'];
				'application/xml': string;
			};
			400: Responses['Error400FileMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403AllowanceExceededStorageQuotaExceeded'];
			409: Responses['Error409'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503DropStoreUnavailableKeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Inbound gateway */
	'POST /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'POST /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Process a failed job again */
	'POST /api/jobs/{id}/retry': {
		path: {
			/** Last part of the `Location` that the file was answered with. */
			id: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			202: {
				'text/json': Schemas['Job'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Carry out a gateway operation */
	'POST /api/paymentGateway': {
		path: Record<string, never>;
		query: {
			/** Credentials that are kept here. */
			credentialsId?: string;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['PaymentGatewayRequest'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['PaymentGatewayResponse'];
				'application/xml': string;
			};
			400: Responses['Error400BadInputParameter'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403AllowanceExceeded'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Store a card */
	'POST /api/payments/paycard': {
		path: Record<string, never>;
		query: {
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
			/** Give back the token the account already has for the card. true or false. */
			eliminateCardDuplication?: boolean;
			/** Keep the CVV; an account that is set up for it does unless told otherwise. true or false. */
			saveCVV?: boolean;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CardData'];
			'application/xml': string;
		};
		responses: {
			201: {
				'text/json': Schemas['MaskedCard'];
				'application/xml': string;
			};
			400: Responses['Error400BadInputParameterMessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUp'];
			403: Responses['Error403AllowanceExceededAssociationTargetInvalidEliminationLimitPassed'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Store many cards */
	'POST /api/payments/paycard/batch': {
		path: Record<string, never>;
		query: {
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
			/** Give back the token the account already has for a card. true or false. */
			eliminateCardDuplication?: boolean;
			/** Keep the CVVs; an account that is set up for it does unless told otherwise. true or false. */
			saveCVV?: boolean;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': (Schemas['CardData'])[];
			'application/x-ndjson': Schemas['CardData'];
			'text/csv': string;
		};
		responses: {
			200: {
				'application/x-ndjson': Schemas['BatchLine'];
				'text/csv': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401CvvRetentionNotSetUp'];
			403: Responses['Error403AllowanceExceededAssociationTargetInvalid'];
			409: Responses['Error409'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Call a third party and tokenize its answer */
	'POST /api/payments/paycard/capture': {
		path: Record<string, never>;
		query: {
			/** Profile of the account, matched exactly. */
			profileName: string;
			/** Absolute address of the third party; the profile may have one. */
			targetUri?: string;
			/** How to call the third party: POST, GET, PUT, PATCH, DELETE. Unless given the profile's, else POST. */
			httpMethod?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
			/** Milliseconds for the whole round trip; at most 29,000, which is the default. */
			timeout?: number;
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
			/** Keep the CVVs; an account that is set up for it does unless told otherwise. true or false. */
			saveCVV?: boolean;
			/** Give back the tokens the account already has for the cards. true or false. */
			eliminateCardDuplication?: boolean;
		};
		header: {
			/** Goes out as `Authorization`; the profile's own wins. */
			'X-service-Target-Authorization'?: string;
			/** Goes out as `Cookie`. */
			'X-service-Target-Cookie'?: string;
			/** Goes out as `Idempotency-Key`. */
			'X-service-Target-Idempotency-Key'?: string;
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUp'];
			403: Responses['Error403AllowanceExceededAssociationTargetInvalid'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Capture a file */
	'POST /api/payments/paycard/capture/sftp': {
		path: Record<string, never>;
		query: {
			/** Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV */
			filter: 'AIR' | 'CSV' | 'GBT' | 'IUR' | 'SIMPLECSV' | 'SIMPLEJSON' | 'TADC';
			/** Name of a stored destination, in place of the next five */
			destination?: string;
			/** The partner's SFTP server */
			host?: string;
			/** 22 unless given */
			port?: number;
			/** The login there */
			userName?: string;
			/** Fingerprints of the host key, `SHA256:…`, with commas; required in production */
			hostKey?: string;
			/** A folder; with a destination below its own. Empty: the login's own folder */
			path?: string;
			/** Name of the file, without a folder */
			fileName: string;
		};
		header: {
			/** Password of the login; not with a destination */
			'x-service-sftp-password'?: string;
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'application/octet-stream': string;
			};
			400: Responses['Error400FileMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403AllowanceExceeded'];
			404: Responses['Error404'];
			409: Responses['Error409'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
		};
	};
	/** Duplicate a token */
	'POST /api/payments/paycard/duplicate': {
		path: Record<string, never>;
		query: {
			/** Token URI, or a bare token. */
			cardUri: string;
			/** CVV of the new token; that of the old one is never carried over. */
			cvv?: string;
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
			/** User ID of a primary account that may use the token too; giving it needs the permission `Associate`. */
			merchantId?: string;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			201: {
				'text/json': Schemas['MaskedCard'];
				'application/xml': string;
			};
			400: Responses['Error400BadInputParameter'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403AllowanceExceededAssociationTargetInvalid'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Make a network token of a card */
	'POST /api/payments/paycard/networkToken': {
		path: Record<string, never>;
		query: {
			/** Token URI, or a bare token. */
			cardUri: string;
			/** Caller-chosen reference, at most 255 characters; need not be unique. */
			ref?: string;
		};
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			201: {
				'text/json': Schemas['MaskedCard'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403AllowanceExceeded'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Relay a request with cards in place of tokens */
	'POST /api/payments/paycard/relay': {
		path: Record<string, never>;
		query: {
			/** Profile of the account, matched exactly. */
			profileName: string;
			/** Absolute address of the third party; the profile may have one. */
			targetUri?: string;
			/** How to call the third party: POST, GET, PUT, PATCH, DELETE. Unless given the profile's, else POST. */
			httpMethod?: 'POST' | 'GET' | 'PUT' | 'PATCH' | 'DELETE';
			/** Milliseconds for the whole round trip; at most 29,000, which is the default. */
			timeout?: number;
			/** Token, or several separated by commas. Without it the header X-service-cardUri has their URIs. */
			cardToken?: string;
		};
		header: {
			/** Token URIs, separated by commas. Required unless `cardToken` is given. */
			'X-service-cardUri'?: string;
			/** Goes out as `Authorization`; the profile's own wins. */
			'X-service-Target-Authorization'?: string;
			/** Goes out as `Cookie`. */
			'X-service-Target-Cookie'?: string;
			/** Goes out as `Idempotency-Key`. */
			'X-service-Target-Idempotency-Key'?: string;
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403AllowanceExceeded'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Relay a file */
	'POST /api/payments/paycard/relay/sftp': {
		path: Record<string, never>;
		query: {
			/** Format of the file (spec §2.8): TADC, GBT, SIMPLECSV, SIMPLEJSON, AIR, IUR or CSV */
			filter: 'AIR' | 'CSV' | 'GBT' | 'IUR' | 'SIMPLECSV' | 'SIMPLEJSON' | 'TADC';
			/** Name of a stored destination, in place of the next five */
			destination?: string;
			/** The partner's SFTP server */
			host?: string;
			/** 22 unless given */
			port?: number;
			/** The login there */
			userName?: string;
			/** Fingerprints of the host key, `SHA256:…`, with commas; required in production */
			hostKey?: string;
			/** A folder; with a destination below its own. Empty: the login's own folder */
			path?: string;
			/** Name of the file, without a folder */
			fileName: string;
			/** Replace a file of the name; refused unless asked for. true or false. */
			overwrite?: boolean;
		};
		header: {
			/** Password of the login; not with a destination */
			'x-service-sftp-password'?: string;
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/octet-stream': string;
		};
		responses: {
			200: {
				'text/json': Schemas['RelayedFile'];
				'application/xml': string;
			};
			400: Responses['Error400FileMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403AllowanceExceeded'];
			409: Responses['Error409'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
		};
	};
	/** Create a session token */
	'POST /api/payments/paycard/tempsession': {
		path: Record<string, never>;
		query: Record<string, never>;
		header: {
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: {
				'text/plain': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
		};
	};
	/** Retry files of a route */
	'POST /api/routes/{name}/retry': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['RouteRetry'];
			'application/xml': string;
		};
		responses: {
			202: {
				'text/json': Schemas['RetriedFiles'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Run a route */
	'POST /api/routes/{name}/run': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			202: {
				'text/json': Schemas['RouteRun'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			404: Responses['Error404'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Put an endpoint of events */
	'PUT /api/event-endpoints/{name}': {
		path: {
			/** The name of the endpoint. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['EventEndpointPlan'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['NewEventEndpoint'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Put a mailbox that is told of events */
	'PUT /api/event-mailboxes/{address}': {
		path: {
			/** The address of the mailbox. */
			address: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['EventMailboxPlan'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['EventEndpoint'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Inbound gateway */
	'PUT /api/inbound/{userId}/{profileName}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Inbound gateway */
	'PUT /api/inbound/{userId}/{profileName}/{rest}': {
		path: {
			/** User ID of the account the call is for; that of the credential. */
			userId: string;
			/** Profile of the account, with a targetUri. */
			profileName: string;
			/** Appended to the path of the target. */
			rest: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
		};
		request?: {
			'application/json': unknown;
			'application/xml': string;
			'application/x-www-form-urlencoded': Record<string, string>;
			'*/*': string;
		};
		responses: {
			200: {
				'*/*': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401SenderMismatch'];
			403: Responses['Error403AllowanceExceeded'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			502: Responses['Error502'];
			503: Responses['Error503KeyStoreUnavailableTooManyCallsTooManyCallsOfAccount'];
			504: Responses['Error504'];
			default: {
				'*/*': string;
			};
		};
	};
	/** Keep gateway credentials */
	'PUT /api/paymentGateway/credentials/{credentialsId}': {
		path: {
			/** Yours; 1 to 64 letters, digits, dots, hyphens or underscores. */
			credentialsId: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['GatewayCredentials'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['StoredGatewayCredentials'];
				'application/xml': string;
			};
			400: Responses['Error400Fields'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Set the CVV retention policy of a card */
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Schemas['CvvRetentionPolicyOrder'];
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUpTokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Set one destination of a CVV retention policy */
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': {
				/** The host name, user ID or gateway that is meant. */
				DestinationData?: string | null;
				Quota?: number;
			};
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUpTokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Set one destination of a CVV retention policy */
	'PUT /api/payments/paycard/{cardToken}/cvvRetentionPolicy/{destinationType}/{destinationData}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			destinationType: 'HostName' | 'Owner' | 'OtherMerchant' | 'OtherUser' | 'SFTP' | 'Gateway';
			destinationData: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': {
				Quota?: number;
			};
			'application/xml': string;
		};
		responses: {
			200: {
				'text/json': Schemas['CardCvvRetentionPolicy'];
				'application/xml': string;
			};
			400: Responses['Error400MessageMalformed'];
			401: Responses['Error401CvvRetentionNotSetUpTokenNotAccessible'];
			403: Responses['Error403'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Associate a token with a merchant */
	'PUT /api/payments/paycard/{cardToken}/merchants/{merchantId}': {
		path: {
			/** 32 hexadecimal characters. */
			cardToken: string;
			/** User ID of a primary account. */
			merchantId: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		responses: {
			200: undefined;
			400: Responses['Error400'];
			401: Responses['Error401TokenNotAccessible'];
			403: Responses['Error403AssociationTargetInvalid'];
			404: Responses['Error404EndpointNotFound'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
	/** Put a route */
	'PUT /api/routes/{name}': {
		path: {
			/** The name of the route. */
			name: string;
		};
		query: Record<string, never>;
		header: {
			/** The same key with the same request brings the first answer again, for 24 hours. */
			'Idempotency-Key'?: string;
			/** With `true` a query parameter that the call does not know is a 400. */
			'X-service-Strict'?: boolean;
		};
		request: {
			'application/json': Record<string, unknown>;
		};
		responses: {
			200: {
				'text/json': Schemas['Route'];
				'application/xml': string;
			};
			400: Responses['Error400'];
			401: Responses['Error401'];
			403: Responses['Error403'];
			429: Responses['Error429'];
			500: Responses['Error500RowAltered'];
			503: Responses['Error503KeyStoreUnavailable'];
			504: Responses['Error504'];
		};
	};
};
