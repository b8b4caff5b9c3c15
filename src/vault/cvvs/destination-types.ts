/** The types of destination to which the policy of a CVV may allow it to be sent (shapes §3). */
export const CVV_DESTINATION_TYPES = ['HostName', 'Owner', 'OtherMerchant', 'OtherUser', 'SFTP', 'Gateway'] as const;
export type CvvDestinationType = (typeof CVV_DESTINATION_TYPES)[number];
