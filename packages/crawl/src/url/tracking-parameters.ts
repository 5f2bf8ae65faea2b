/** A query parameter that says where a visitor came from and nothing about which page is meant. */
interface TrackingRule {
  /** A whole name, or a beginning when it ends in `*`; lower case. */
  readonly name: string;
  readonly reason: string;
}

/**
 * What is dropped from every URL, and why. A name is here when a product documents it as campaign or click data;
 * words that sites use for pages of their own (`ref`, `source`, `id`, `campaign`) are not, however often they track.
 */
export const TRACKING_PARAMETERS: readonly TrackingRule[] = [
  { name: "utm_*", reason: "Google Analytics campaign" },
  { name: "ga_source", reason: "Google Analytics campaign, old form" },
  { name: "ga_medium", reason: "Google Analytics campaign, old form" },
  { name: "ga_term", reason: "Google Analytics campaign, old form" },
  { name: "ga_content", reason: "Google Analytics campaign, old form" },
  { name: "ga_campaign", reason: "Google Analytics campaign, old form" },
  { name: "ga_place", reason: "Google Analytics campaign, old form" },
  { name: "_ga", reason: "Google Analytics visitor, cross-domain" },
  { name: "_gl", reason: "Google linker, cross-domain" },
  { name: "gclid", reason: "Google Ads click" },
  { name: "gclsrc", reason: "Google Ads click source" },
  { name: "dclid", reason: "Google Display click" },
  { name: "gbraid", reason: "Google Ads click, iOS" },
  { name: "wbraid", reason: "Google Ads click, iOS web" },
  { name: "gad_source", reason: "Google Ads source" },
  { name: "gad_campaignid", reason: "Google Ads campaign" },
  { name: "srsltid", reason: "Google Merchant Center result" },
  { name: "fbclid", reason: "Facebook click" },
  { name: "fb_action_ids", reason: "Facebook open graph action" },
  { name: "fb_action_types", reason: "Facebook open graph action" },
  { name: "fb_source", reason: "Facebook referral" },
  { name: "fb_ref", reason: "Facebook referral" },
  { name: "mibextid", reason: "Facebook mobile share" },
  { name: "igshid", reason: "Instagram share" },
  { name: "igsh", reason: "Instagram share" },
  { name: "msclkid", reason: "Microsoft Ads click" },
  { name: "yclid", reason: "Yandex Direct click" },
  { name: "ysclid", reason: "Yandex search click" },
  { name: "_openstat", reason: "Yandex OpenStat" },
  { name: "twclid", reason: "X Ads click" },
  { name: "__twitter_impression", reason: "X embedded impression" },
  { name: "ref_src", reason: "X embed referral" },
  { name: "ref_url", reason: "X embed referral" },
  { name: "ttclid", reason: "TikTok click" },
  { name: "li_fat_id", reason: "LinkedIn click" },
  { name: "trkcampaign", reason: "LinkedIn campaign" },
  { name: "epik", reason: "Pinterest click" },
  { name: "rdt_cid", reason: "Reddit click" },
  { name: "sccid", reason: "Snapchat click" },
  { name: "mc_cid", reason: "Mailchimp campaign" },
  { name: "mc_eid", reason: "Mailchimp recipient" },
  { name: "mc_tc", reason: "Mailchimp tracking" },
  { name: "_hsenc", reason: "HubSpot mail" },
  { name: "_hsmi", reason: "HubSpot mail" },
  { name: "__hssc", reason: "HubSpot session" },
  { name: "__hstc", reason: "HubSpot visitor" },
  { name: "__hsfp", reason: "HubSpot fingerprint" },
  { name: "hsctatracking", reason: "HubSpot call to action" },
  { name: "hsa_*", reason: "HubSpot Ads" },
  { name: "mkt_tok", reason: "Marketo mail" },
  { name: "_kx", reason: "Klaviyo recipient" },
  { name: "vero_id", reason: "Vero recipient" },
  { name: "vero_conv", reason: "Vero conversion" },
  { name: "oly_anon_id", reason: "Omeda visitor" },
  { name: "oly_enc_id", reason: "Omeda visitor" },
  { name: "ml_subscriber", reason: "MailerLite recipient" },
  { name: "ml_subscriber_hash", reason: "MailerLite recipient" },
  { name: "dm_i", reason: "Dotdigital recipient" },
  { name: "bsft_*", reason: "Blueshift recipient" },
  { name: "_bta_tid", reason: "Bronto recipient" },
  { name: "_bta_c", reason: "Bronto campaign" },
  { name: "elqtrackid", reason: "Eloqua recipient" },
  { name: "elqtrack", reason: "Eloqua tracking" },
  { name: "elqaid", reason: "Eloqua asset" },
  { name: "elqat", reason: "Eloqua asset type" },
  { name: "ck_subscriber_id", reason: "ConvertKit recipient" },
  { name: "pk_*", reason: "Matomo campaign, old form" },
  { name: "piwik_*", reason: "Matomo campaign, old form" },
  { name: "mtm_*", reason: "Matomo campaign" },
  { name: "matomo_*", reason: "Matomo campaign" },
  { name: "at_campaign", reason: "Piano (AT Internet) campaign" },
  { name: "at_medium", reason: "Piano (AT Internet) campaign" },
  { name: "at_custom1", reason: "Piano (AT Internet) campaign" },
  { name: "at_custom2", reason: "Piano (AT Internet) campaign" },
  { name: "at_custom3", reason: "Piano (AT Internet) campaign" },
  { name: "at_custom4", reason: "Piano (AT Internet) campaign" },
  { name: "ns_mchannel", reason: "Comscore campaign" },
  { name: "ns_source", reason: "Comscore campaign" },
  { name: "ns_campaign", reason: "Comscore campaign" },
  { name: "ns_linkname", reason: "Comscore campaign" },
  { name: "ns_fee", reason: "Comscore campaign" },
  { name: "s_kwcid", reason: "Adobe Advertising keyword" },
  { name: "s_cid", reason: "Adobe Analytics campaign" },
  { name: "ef_id", reason: "Adobe Advertising click" },
  { name: "cm_mmc", reason: "IBM Coremetrics campaign" },
  { name: "wickedid", reason: "Wicked Reports click" },
  { name: "irclickid", reason: "Impact affiliate click" },
  { name: "sscid", reason: "ShareASale affiliate click" },
  { name: "zanpid", reason: "Awin affiliate click" },
  { name: "rb_clickid", reason: "RedTrack click" },
  { name: "unicorn_click_id", reason: "AdUnicorn click" },
  { name: "_branch_match_id", reason: "Branch deep link" },
  { name: "_branch_referrer", reason: "Branch deep link" },
  { name: "guccounter", reason: "Yahoo consent round trip" },
  { name: "guce_referrer", reason: "Yahoo consent round trip" },
  { name: "guce_referrer_sig", reason: "Yahoo consent round trip" },
  { name: "soc_src", reason: "Yahoo social share" },
  { name: "soc_trk", reason: "Yahoo social share" },
];

const WHOLE_NAMES = new Set(TRACKING_PARAMETERS.map((rule) => rule.name).filter((name) => !name.endsWith("*")));
const BEGINNINGS = TRACKING_PARAMETERS.map((rule) => rule.name)
  .filter((name) => name.endsWith("*"))
  .map((name) => name.slice(0, -1));

/** Whether a query parameter is on the list above, in any case of letters. */
export function isTrackingParameter(name: string): boolean {
  const lower = name.toLowerCase();
  return WHOLE_NAMES.has(lower) || BEGINNINGS.some((beginning) => lower.startsWith(beginning));
}
