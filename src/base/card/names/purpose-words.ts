// Lists the words that say of a place that it is for other long numbers than those of cards, in the languages of
// field-words.ts. number-context.ts reads them; docs/other-numbers.md lists them.

/** What a place may be for. */
export type Purpose = 'phone' | 'ticket' | 'flyer' | 'account' | 'order' | 'identity';

interface PurposeWords {
	/** Each of these counts wherever it stands in a word: `Vielfliegernummer`, `Kundentelefon`. */
	readonly parts: string;
	/** Each of these must be a whole word, or a word with a number behind it (`NUMBER_WORDS`): `Tel`, `TelNr`. */
	readonly words: string;
	/** Lines of an AIR or IUR with one of these tags have such numbers. */
	readonly tags: string;
}

export const PURPOSE_WORDS: Readonly<Record<Purpose, PurposeWords>> = {
	phone: {
		parts:
			'phone telefon telefoon telefono mobilfunk rufnummer whatsapp msisdn cellular celular telemovel movil komorkow',
		words: `tel tf telf tfno tlf fon fone fax telefax mobile mobil mobiel portable cell handy gsm
			natel mob mbl cel sms hotline call callback tfn ph contact kontakt contacto contatto ctc ctcm ctcp ctcb ctch ctct ctce ctcr ctcf`,
		tags: 'AP I- M0',
	},
	ticket: {
		parts: 'ticket flugschein fahrschein biglietto bilhete billet boleto bilet biljet',
		words: `tkt tkts etkt emd mco tkne tkna tknm tkno conjunction conj exch exchange exchanged reissue reissued void`,
		tags: 'T- R- FA FB FO FHD FHE EMD TMCD M5',
	},
	flyer: {
		parts: 'flyer flier vielflieger mileage loyalty bonuskarte bonuskort frequent fidelite fidelidad fedelta',
		words:
			'ff ffp ffn fqtv fqtr fqtu fqts fqtd miles meilen millas milhas membership member mitgliedsnummer kundenkarte bonus reward rewards',
		tags: '',
	},
	account: {
		parts: 'iban bankaccount kontonummer bankverbindung kontoverbindung bankkonto rekeningnummer cuentabancaria',
		words: `bic swift bban rib ccc clabe blz sortcode konto conto cuenta conta compte nib debitor debitoren kreditor kreditoren kunden kundennr
			kdnr customer client cliente`,
		tags: '',
	},
	order: {
		parts:
			'booking reservation reservierung reservacion prenotazione confirmation localizador encomenda bestilling bestallning',
		words: `order orders invoice invoices buchung buchungs rechnung rechnungs bestell bestellung bestellungs auftrag
			auftrags bestatigung bestatigungs commande facture factura fattura fatura pedido ordine ordre zamowienia dossier
			reserva folio pnr locator voucher gutschein ean gtin upc isbn barcode conf inv`,
		tags: '',
	},
	identity: {
		parts: 'passport reisepass passeport pasaporte passaporto personalausweis steuernummer versicherungsnummer',
		words: `document documento dokument foid docs tax vat insurance ausweis dni nif nie cpf cnpj rfc curp ssn piva
			aadhaar`,
		tags: '',
	},
};

/**
 * A name with one of these words is that of a place for text about anything: `Comentario del cliente`, `Order notes`. The
 * plural of an order means requests in Portuguese.
 */
export const TEXT_WORDS: ReadonlySet<string> = new Set(
	`comment comments commentaire commentaires commento commenti comentario comentarios kommentar kommentare
		remark remarks remarque remarques bemerkung bemerkungen anmerkung anmerkungen hinweis hinweise
		note notes nota notas notiz notizen obs observacion observaciones observacao observacoes opmerking opmerkingen
		info information text freitext memo message nachricht mensaje mensagem messaggio
		request requests wunsch wunsche peticion peticiones richiesta richieste demande demandes pedidos`.split(/\s+/),
);

/** A word of a purpose may have one of these behind it without a blank: `OrderNo`, `TelNr`, `IBANs`. */
export const NUMBER_WORDS = 's|e?n|nr|no|num|nbr|number|numbers|nummer|numero|code|id';
