# Written by `npm run openapi` from openapi.json; changes here are overwritten.
# ruff: noqa
from __future__ import annotations

from decimal import Decimal
from typing import Any, List, Literal, NotRequired, Optional, Sequence, TypedDict, Union

from .listing import Listing
from .transport import Answer, Options, Raw, Transport, segment

VERSION = "2026-11-25"
"""The version of the API that this client is written for."""


AcceptNotice = TypedDict("AcceptNotice", {
    "payout": "str",
    "number": "int",
})

AcceptedNotice = TypedDict("AcceptedNotice", {
    "payout": "str",
    "number": "int",
    "code": "str",
})

Account = TypedDict("Account", {
    "id": "str",
    "object": "Literal[\"account\"]",
    "name": "str",
    "sandbox": "bool",
    "state": "Literal[\"active\", \"frozen\", \"closed\"]",
    "currencies": "List[str]",
    "primary_currency": "str",
    "deposit_address": "str",
    "duplicate_window_s": "int",
    "daily_rows": "int",
    "daily_mb": "int",
    "written_today": "\"WrittenToday\"",
    "limits": "List[\"AccountLimit\"]",
    "created_at": "\"Timestamp\"",
})

AccountEvent = Union["PayoutQuoteEvent", "PayoutEvent", "EntityEvent", "BeneficiaryEvent", "BalanceTransactionEvent", "ConversionQuoteEvent", "ConversionEvent", "WebhookEndpointEvent"]

AccountLimit = TypedDict("AccountLimit", {
    "id": "str",
    "currency": "Union[str, None]",
    "cap": "str",
    "used": "Union[str, None]",
    "headroom": "Union[str, None]",
    "per": "Literal[\"payout\", \"day\", \"hours\"]",
    "zone": "Union[str, None]",
    "hours": "Union[int, None]",
    "each": "Literal[\"account\", \"key\", \"payee\"]",
    "key_id": "Union[str, None]",
    "rail": "Union[str, None]",
    "network": "Union[str, None]",
    "new_for_hours": "Union[int, None]",
})

ActionRequest = TypedDict("ActionRequest", {
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "beneficiary_details": NotRequired["\"AnsweredBeneficiaryDetails\""],
    "purpose": NotRequired["str"],
    "transaction_description": NotRequired["str"],
    "note": NotRequired["str"],
})

Address = TypedDict("Address", {
    "line1": NotRequired["str"],
    "line2": NotRequired["str"],
    "city": NotRequired["str"],
    "state": NotRequired["str"],
    "country": NotRequired["\"CountryCode\""],
    "postal_code": NotRequired["str"],
})

Amount = int

AnsweredBeneficiaryDetails = TypedDict("AnsweredBeneficiaryDetails", {
    "address": NotRequired["\"Address\""],
    "date_of_birth": NotRequired["str"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "email": NotRequired["str"],
    "name_local": NotRequired["str"],
    "national_identification_number": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "registration_number": NotRequired["str"],
    "tax_id": NotRequired["str"],
})

ApprovalDecision = TypedDict("ApprovalDecision", {
    "user": "str",
    "decision": "Literal[\"approve\", \"reject\"]",
    "reason": "str",
    "decided_at": "\"Timestamp\"",
})

ApprovalStatus = Literal["pending", "submitted", "approved", "rejected", "requires_action", "resubmitted"]

ApprovalStep = TypedDict("ApprovalStep", {
    "status": "\"ApprovalStatus\"",
    "description": "str",
    "at": "\"Timestamp\"",
})

ApprovalTold = TypedDict("ApprovalTold", {
    "digest": "str",
    "given": NotRequired["int"],
    "needed": "int",
    "expires_at": NotRequired["\"Timestamp\""],
})

ApproveRequest = TypedDict("ApproveRequest", {
    "digest": "str",
    "reason": NotRequired["str"],
})

ArchiveRequest = Union[dict[str, Any], None]

AttachedDocument = TypedDict("AttachedDocument", {
    "type": NotRequired["str"],
    "file_name": NotRequired["str"],
    "url": NotRequired["str"],
})

Balance = TypedDict("Balance", {
    "object": "Literal[\"balance\"]",
    "available": "List[dict[str, Any]]",
    "updated_at": "\"Timestamp\"",
})

BalanceTransaction = TypedDict("BalanceTransaction", {
    "id": "str",
    "object": "Literal[\"balance_transaction\"]",
    "amount": "int",
    "currency": "str",
    "created_at": "\"Timestamp\"",
    "description": "str",
    "fee_details": "List[dict[str, Any]]",
    "fx_conversions": "List[dict[str, Any]]",
    "net": "\"Money\"",
    "balance_after": "str",
    "metadata": "dict[str, str]",
    "operation_type": "Literal[\"credit\", \"debit\"]",
    "source": "str",
    "type": "Literal[\"escrow\", \"payout\", \"payout_failure\", \"payout_reversal\", \"withdrawal\", \"adjustment\", \"escrow_reversal\", \"withdrawal_reversal\", \"adjustment_reversal\", \"conversion_out\", \"conversion_in\"]",
    "expanded": NotRequired["dict[str, Any]"],
})

BalanceTransactionAlone = TypedDict("BalanceTransactionAlone", {
    "id": "str",
    "object": "Literal[\"balance_transaction\"]",
    "amount": "int",
    "currency": "str",
    "created_at": "\"Timestamp\"",
    "description": "str",
    "fee_details": "List[dict[str, Any]]",
    "fx_conversions": "List[dict[str, Any]]",
    "net": "\"Money\"",
    "balance_after": "str",
    "metadata": "dict[str, str]",
    "operation_type": "Literal[\"credit\", \"debit\"]",
    "source": "str",
    "type": "Literal[\"escrow\", \"payout\", \"payout_failure\", \"payout_reversal\", \"withdrawal\", \"adjustment\", \"escrow_reversal\", \"withdrawal_reversal\", \"adjustment_reversal\", \"conversion_out\", \"conversion_in\"]",
})

BalanceTransactionEvent = TypedDict("BalanceTransactionEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"balance_transaction.created\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"BalanceTransactionAlone\"",
    "previous_attributes": "\"NothingBefore\"",
    "change": "\"ChangeByMaker\"",
    "erased": "bool",
})

BankDestination = TypedDict("BankDestination", {
    "account_number": NotRequired["str"],
    "iban": NotRequired["str"],
    "bank_name": NotRequired["str"],
    "branch_name": NotRequired["str"],
    "account_type": NotRequired["str"],
    "purpose_code": NotRequired["str"],
    "firc_required": NotRequired["bool"],
    "transfer_type": NotRequired["str"],
    "country": NotRequired["\"CountryCode\""],
    "currency": NotRequired["\"CurrencyCode\""],
    "bank_codes": NotRequired["dict[str, str]"],
})

BankDestinationDetails = TypedDict("BankDestinationDetails", {
    "type": "Literal[\"bank\"]",
    "bank": "\"BankDestination\"",
})

BankNotice = TypedDict("BankNotice", {
    "kind": "Literal[\"change_notified\", \"return_answered\"]",
    "code": "str",
})

Beneficiary = TypedDict("Beneficiary", {
    "id": "str",
    "object": "Literal[\"beneficiary\"]",
    "address": "\"Address\"",
    "date_of_birth": "str",
    "destination": "str",
    "destination_details": "\"DestinationDetails\"",
    "documents": "List[\"AttachedDocument\"]",
    "email": "str",
    "metadata": "\"Metadata\"",
    "name": "str",
    "name_local": "str",
    "national_identification_number": "str",
    "party_classification": "str",
    "phone": "\"Phone\"",
    "reference_id": "str",
    "registration_number": "str",
    "status": "Literal[\"active\", \"pending_approval\", \"rejected\", \"erased\"]",
    "tax_id": "str",
    "type": "Literal[\"individual\", \"business\"]",
    "archived_at": "Union[str, None]",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
})

BeneficiaryApproval = TypedDict("BeneficiaryApproval", {
    "object": "Literal[\"beneficiary_approval\"]",
    "beneficiary": "str",
    "status": "Literal[\"pending\", \"approved\", \"rejected\"]",
    "needed": "int",
    "given": "int",
    "digest": "str",
    "made_by": "List[str]",
    "requested_at": "\"Timestamp\"",
    "expires_at": "\"Timestamp\"",
    "ended_at": "Union[str, None]",
    "decisions": "List[\"ApprovalDecision\"]",
})

BeneficiaryDetails = TypedDict("BeneficiaryDetails", {
    "name": "str",
    "type": "Literal[\"individual\", \"business\"]",
    "destination_details": "\"DestinationDetails\"",
    "name_local": NotRequired["str"],
    "email": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "address": NotRequired["\"Address\""],
    "date_of_birth": NotRequired["str"],
    "national_identification_number": NotRequired["str"],
    "party_classification": NotRequired["str"],
    "registration_number": NotRequired["str"],
    "tax_id": NotRequired["str"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "reference_id": NotRequired["str"],
    "metadata": NotRequired["\"Metadata\""],
})

BeneficiaryDetailsShown = TypedDict("BeneficiaryDetailsShown", {
    "address": "\"Address\"",
    "date_of_birth": "str",
    "destination": "str",
    "destination_details": "\"DestinationDetails\"",
    "documents": "List[\"AttachedDocument\"]",
    "email": "str",
    "metadata": "\"Metadata\"",
    "name": "str",
    "name_local": "str",
    "national_identification_number": "str",
    "party_classification": "str",
    "phone": "\"Phone\"",
    "reference_id": "str",
    "registration_number": "str",
    "status": "Literal[\"active\", \"erased\"]",
    "tax_id": "str",
    "type": "Literal[\"individual\", \"business\"]",
})

BeneficiaryEvent = TypedDict("BeneficiaryEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"beneficiary.created\", \"beneficiary.updated\", \"beneficiary.pending_approval\", \"beneficiary.approved\", \"beneficiary.rejected\", \"beneficiary.archived\", \"beneficiary.unarchived\", \"beneficiary.erased\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"Beneficiary\"",
    "previous_attributes": "\"BeneficiaryEventBefore\"",
    "change": "\"BeneficiaryEventChange\"",
    "erased": "bool",
})

BeneficiaryEventBefore = TypedDict("BeneficiaryEventBefore", {
    "id": NotRequired["str"],
    "object": NotRequired["Literal[\"beneficiary\"]"],
    "address": NotRequired["\"Address\""],
    "date_of_birth": NotRequired["str"],
    "destination": NotRequired["str"],
    "destination_details": NotRequired["\"DestinationDetails\""],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "email": NotRequired["str"],
    "metadata": NotRequired["\"Metadata\""],
    "name": NotRequired["str"],
    "name_local": NotRequired["str"],
    "national_identification_number": NotRequired["str"],
    "party_classification": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "reference_id": NotRequired["str"],
    "registration_number": NotRequired["str"],
    "status": NotRequired["Literal[\"active\", \"pending_approval\", \"rejected\", \"erased\"]"],
    "tax_id": NotRequired["str"],
    "type": NotRequired["Literal[\"individual\", \"business\"]"],
    "archived_at": NotRequired["Union[str, None]"],
    "made_by": NotRequired["\"MadeBy\""],
    "created_at": NotRequired["\"Timestamp\""],
    "updated_at": NotRequired["\"Timestamp\""],
})

BeneficiaryEventChange = TypedDict("BeneficiaryEventChange", {
    "notice": NotRequired["\"AcceptedNotice\""],
    "approval": NotRequired["\"ApprovalTold\""],
    "erased_rows": NotRequired["int"],
    "digest": NotRequired["str"],
    "made_by": NotRequired["\"MadeBy\""],
})

BeneficiaryNotice = TypedDict("BeneficiaryNotice", {
    "object": "Literal[\"beneficiary_notice\"]",
    "beneficiary": "str",
    "payout": "str",
    "number": "int",
    "code": "str",
    "meaning": "str",
    "was": "\"ValuesBefore\"",
    "corrected": "\"CorrectedValues\"",
    "until": "Union[str, None]",
    "status": "Literal[\"open\", \"accepted\", \"closed\"]",
    "created_at": "\"Timestamp\"",
    "closed_at": "Union[str, None]",
})

BeneficiaryNotices = TypedDict("BeneficiaryNotices", {
    "object": "Literal[\"beneficiary_notices\"]",
    "beneficiary": "str",
    "notices": "List[\"BeneficiaryNotice\"]",
    "truncated": "bool",
})

BeneficiaryUpdate = TypedDict("BeneficiaryUpdate", {
    "name": NotRequired["str"],
    "type": NotRequired["Literal[\"individual\", \"business\"]"],
    "destination_details": NotRequired["\"DestinationDetails\""],
    "name_local": NotRequired["Union[str, None]"],
    "email": NotRequired["Union[str, None]"],
    "phone": NotRequired["Union[dict[str, Any], None]"],
    "address": NotRequired["Union[dict[str, Any], None]"],
    "date_of_birth": NotRequired["Union[str, None]"],
    "national_identification_number": NotRequired["Union[str, None]"],
    "party_classification": NotRequired["Union[str, None]"],
    "registration_number": NotRequired["Union[str, None]"],
    "tax_id": NotRequired["Union[str, None]"],
    "documents": NotRequired["Union[List[\"AttachedDocument\"], None]"],
    "reference_id": NotRequired["Union[str, None]"],
    "metadata": NotRequired["Union[dict[str, str], None]"],
})

ByHand = TypedDict("ByHand", {
    "operator": "str",
    "reference": "str",
    "reason": "str",
})

CancelRequest = Union[dict[str, Any], None]

ChangeByMaker = TypedDict("ChangeByMaker", {
    "made_by": NotRequired["\"MadeBy\""],
})

ClockRequest = TypedDict("ClockRequest", {
    "seconds": "int",
})

ComparedRows = TypedDict("ComparedRows", {
    "method": "Literal[\"same_currency\", \"direct\", \"inverted\", \"crossed\"]",
    "rows": "List[\"RateBookRow\"]",
})

ComparedWay = TypedDict("ComparedWay", {
    "method": "Literal[\"same_currency\", \"direct\", \"inverted\", \"crossed\"]",
    "rows": "List[\"RateBookRow\"]",
    "mid": "\"ExplainedMid\"",
})

Conversion = TypedDict("Conversion", {
    "id": "str",
    "object": "Literal[\"conversion\"]",
    "status": "Literal[\"completed\"]",
    "quote": "str",
    "holding_info": "\"Money\"",
    "destination_info": "\"Money\"",
    "fee_info": "\"ConversionFees\"",
    "exchange_rate": "\"Decimal\"",
    "total_debit": "\"Money\"",
    "balance_transactions": "\"ConversionLines\"",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
})

ConversionEvent = TypedDict("ConversionEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"conversion.completed\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"Conversion\"",
    "previous_attributes": "\"NothingBefore\"",
    "change": "\"ChangeByMaker\"",
    "erased": "bool",
})

ConversionFee = TypedDict("ConversionFee", {
    "in_holding_currency": "int",
})

ConversionFees = TypedDict("ConversionFees", {
    "fixed": "\"ConversionFee\"",
    "variable": "\"ConversionFee\"",
})

ConversionLines = TypedDict("ConversionLines", {
    "debit": "str",
    "credit": "str",
})

ConversionQuote = TypedDict("ConversionQuote", {
    "id": "str",
    "object": "Literal[\"conversion_quote\"]",
    "holding_info": "\"Money\"",
    "destination_info": "\"Money\"",
    "fee_info": "\"ConversionFees\"",
    "exchange_rate": "\"Decimal\"",
    "total_debit": "\"Money\"",
    "valid_until": "str",
    "status": "Literal[\"active\", \"used\", \"expired\"]",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
})

ConversionQuoteDeleted = TypedDict("ConversionQuoteDeleted", {
    "id": "str",
    "object": "Literal[\"conversion_quote\"]",
    "deleted": "Literal[True]",
})

ConversionQuoteEvent = TypedDict("ConversionQuoteEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"conversion_quote.created\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "Union[\"ConversionQuote\", \"ConversionQuoteDeleted\"]",
    "previous_attributes": "\"NothingBefore\"",
    "change": "\"ChangeByMaker\"",
    "erased": "bool",
})

ConversionQuoteRequest = TypedDict("ConversionQuoteRequest", {
    "holding_info": "dict[str, Any]",
    "destination_info": "dict[str, Any]",
    "total_debit": NotRequired["int"],
})

ConversionRequest = TypedDict("ConversionRequest", {
    "quote": "str",
})

CorrectedValues = TypedDict("CorrectedValues", {
    "name": NotRequired["str"],
    "account_number": NotRequired["str"],
    "routing_number": NotRequired["str"],
    "account_type": NotRequired["Literal[\"checking\", \"savings\"]"],
})

CountryCode = str

CreatedRange = TypedDict("CreatedRange", {
    "gt": NotRequired["str"],
    "gte": NotRequired["str"],
    "lt": NotRequired["str"],
    "lte": NotRequired["str"],
})

Currencies = TypedDict("Currencies", {
    "object": "Literal[\"currencies\"]",
    "currencies": "List[\"Currency\"]",
})

Currency = TypedDict("Currency", {
    "object": "Literal[\"currency\"]",
    "code": "str",
    "exponent": "int",
    "name": "str",
})

CurrencyCode = str

DecidedPayouts = TypedDict("DecidedPayouts", {
    "status": "Literal[\"pending_approval\", \"processing\", \"requires_action\", \"compliance_hold\", \"succeeded\", \"failed\", \"reversed\"]",
    "payouts": "int",
})

DecimalText = str

DestinationDetails = Union["BankDestinationDetails", "WalletDestinationDetails", "LocalPaymentNetworkDestinationDetails", "ServiceAccountDestinationDetails"]

DryRunPrice = TypedDict("DryRunPrice", {
    "holding_info": "\"Money\"",
    "payout_info": "\"Money\"",
    "destination_info": "\"Money\"",
    "fee_info": "\"Fees\"",
    "exchange_rates": "\"ExchangeRates\"",
    "total_debit": "\"Money\"",
    "available": "dict[str, Any]",
})

DuplicateFound = TypedDict("DuplicateFound", {
    "at": "\"Timestamp\"",
    "rule": "str",
    "differs": "List[str]",
})

DuplicateRule = TypedDict("DuplicateRule", {
    "rule": "str",
    "priority": "int",
    "takes_part": "bool",
    "missing": "List[str]",
    "compared": "dict[str, str]",
    "entity": "str",
    "rejected": "List[str]",
})

EndedApprovals = TypedDict("EndedApprovals", {
    "status": "Literal[\"approved\", \"rejected\", \"expired\", \"cancelled\", \"failed\"]",
    "payouts": "int",
})

Entity = TypedDict("Entity", {
    "id": "str",
    "object": "Literal[\"entity\"]",
    "type": "Literal[\"individual\", \"business\"]",
    "name": "str",
    "email": "str",
    "phone": "\"Phone\"",
    "description": "str",
    "vertical": "str",
    "on_behalf_of": "str",
    "national_identification_number": "\"NationalIdentification\"",
    "registration_number": "str",
    "registration_date": "str",
    "registration_address": "\"EntityAddress\"",
    "operating_address": "\"EntityAddress\"",
    "tax_id": "str",
    "purpose_of_use": "str",
    "relationship": "str",
    "representatives": "List[\"Representative\"]",
    "documents": "List[\"AttachedDocument\"]",
    "reference_id": "str",
    "metadata": "Union[\"Metadata\", None]",
    "approval_status": "\"ApprovalStatus\"",
    "approval_status_description": "str",
    "approval_history": "List[\"ApprovalStep\"]",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
})

EntityAddress = TypedDict("EntityAddress", {
    "line1": NotRequired["str"],
    "line2": NotRequired["str"],
    "city": NotRequired["str"],
    "state": NotRequired["str"],
    "country": NotRequired["\"EntityCountry\""],
    "postal_code": NotRequired["str"],
})

EntityCountry = str

EntityDuplicateCheck = TypedDict("EntityDuplicateCheck", {
    "object": "Literal[\"entity_duplicate_check\"]",
    "duplicate": "bool",
    "entity": "str",
    "rule": "str",
    "rules": "List[\"DuplicateRule\"]",
})

EntityEvent = TypedDict("EntityEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"entity.created\", \"entity.updated\", \"entity.approval_pending\", \"entity.approval_submitted\", \"entity.approval_approved\", \"entity.approval_rejected\", \"entity.approval_requires_action\", \"entity.approval_resubmitted\", \"entity.erased\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"Entity\"",
    "previous_attributes": "\"EntityEventBefore\"",
    "change": "\"EntityEventChange\"",
    "erased": "bool",
})

EntityEventBefore = TypedDict("EntityEventBefore", {
    "id": NotRequired["str"],
    "object": NotRequired["Literal[\"entity\"]"],
    "type": NotRequired["Literal[\"individual\", \"business\"]"],
    "name": NotRequired["str"],
    "email": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "description": NotRequired["str"],
    "vertical": NotRequired["str"],
    "on_behalf_of": NotRequired["str"],
    "national_identification_number": NotRequired["\"NationalIdentification\""],
    "registration_number": NotRequired["str"],
    "registration_date": NotRequired["str"],
    "registration_address": NotRequired["\"EntityAddress\""],
    "operating_address": NotRequired["\"EntityAddress\""],
    "tax_id": NotRequired["str"],
    "purpose_of_use": NotRequired["str"],
    "relationship": NotRequired["str"],
    "representatives": NotRequired["List[\"Representative\"]"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "reference_id": NotRequired["str"],
    "metadata": NotRequired["Union[\"Metadata\", None]"],
    "approval_status": NotRequired["\"ApprovalStatus\""],
    "approval_status_description": NotRequired["str"],
    "approval_history": NotRequired["List[\"ApprovalStep\"]"],
    "made_by": NotRequired["\"MadeBy\""],
    "created_at": NotRequired["\"Timestamp\""],
    "updated_at": NotRequired["\"Timestamp\""],
})

EntityEventChange = TypedDict("EntityEventChange", {
    "erased_rows": NotRequired["int"],
    "digest": NotRequired["str"],
    "made_by": NotRequired["\"MadeBy\""],
})

EntityRequest = TypedDict("EntityRequest", {
    "name": "str",
    "type": "Literal[\"individual\", \"business\"]",
    "email": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "description": NotRequired["str"],
    "vertical": NotRequired["str"],
    "on_behalf_of": NotRequired["str"],
    "national_identification_number": NotRequired["\"NationalIdentification\""],
    "registration_number": NotRequired["str"],
    "registration_date": NotRequired["str"],
    "registration_address": NotRequired["\"EntityAddress\""],
    "operating_address": NotRequired["\"EntityAddress\""],
    "tax_id": NotRequired["str"],
    "purpose_of_use": NotRequired["str"],
    "relationship": NotRequired["str"],
    "representatives": NotRequired["List[\"Representative\"]"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "reference_id": NotRequired["str"],
    "metadata": NotRequired["\"Metadata\""],
})

EntitySubmission = Union["EntityUpdate", None]

EntityTimeline = TypedDict("EntityTimeline", {
    "object": "Literal[\"entity_timeline\"]",
    "entity": "str",
    "approval_history": "List[\"ApprovalStep\"]",
    "duplicates": "List[\"DuplicateFound\"]",
})

EntityUpdate = TypedDict("EntityUpdate", {
    "name": NotRequired["str"],
    "type": NotRequired["Literal[\"individual\", \"business\"]"],
    "email": NotRequired["Union[str, None]"],
    "phone": NotRequired["Union[dict[str, Any], None]"],
    "description": NotRequired["Union[str, None]"],
    "vertical": NotRequired["Union[str, None]"],
    "on_behalf_of": NotRequired["Union[str, None]"],
    "national_identification_number": NotRequired["Union[dict[str, Any], None]"],
    "registration_number": NotRequired["Union[str, None]"],
    "registration_date": NotRequired["Union[str, None]"],
    "registration_address": NotRequired["Union[dict[str, Any], None]"],
    "operating_address": NotRequired["Union[dict[str, Any], None]"],
    "tax_id": NotRequired["Union[str, None]"],
    "purpose_of_use": NotRequired["Union[str, None]"],
    "relationship": NotRequired["Union[str, None]"],
    "representatives": NotRequired["Union[List[\"Representative\"], None]"],
    "documents": NotRequired["Union[List[\"AttachedDocument\"], None]"],
    "reference_id": NotRequired["Union[str, None]"],
    "metadata": NotRequired["Union[dict[str, str], None]"],
})

ErrorDetail = TypedDict("ErrorDetail", {
    "code": "int",
    "reason": "Union[Literal[\"invalid_json\", \"internal\", \"service_unavailable\", \"clock_jumped\", \"invalid_path_parameter\", \"invalid_query_parameter\", \"not_found\", \"insufficient_scope\", \"sandbox_only\", \"invalid_credentials\", \"missing_credentials\", \"rate_limited\", \"quota_exceeded\", \"invalid_request\", \"request_timeout\", \"unsupported_media_type\", \"payload_too_large\", \"headers_too_large\", \"uri_too_long\", \"misdirected_request\", \"unknown_version\", \"method_not_allowed\", \"account_frozen\", \"account_closed\", \"invalid_field\", \"cross_site_request\", \"insecure_connection\", \"password_needed\", \"invalid_login\", \"session_over\", \"code_needed\", \"enrolment_needed\", \"idempotency_key_reused\", \"invalid_idempotency_key\", \"currency\", \"holding_currency_not_found\", \"beneficiary_missing\", \"type_mismatch\", \"beneficiary_not_found\", \"entity_not_found\", \"insufficient_balance\", \"amount_mismatch\", \"amount_out_of_range\", \"quote_expired\", \"quote_used\", \"quote_mismatch\", \"rate_stale\", \"fee_unavailable\", \"rate_unavailable\", \"deposit_address_not_found\", \"deposit_currency_not_accepted\", \"invalid_transition\", \"entity_duplicate\", \"entity_changed\", \"approval_not_allowed\", \"approval_needed\", \"already_decided\", \"approval_outdated\", \"notice_outdated\", \"notice_without_value\", \"payout_not_cancellable\", \"payout_not_paid\", \"possible_duplicate_payout\", \"max_total_debit_exceeded\", \"balance_limit_exceeded\", \"route_unavailable\", \"calendar_ended\", \"limit_exceeded\", \"beneficiary_not_approved\", \"beneficiary_archived\", \"party_erased\", \"erasure_refused\", \"webhook_endpoint_limit\", \"webhook_endpoint_disabled\", \"source_already_used\", \"reference_already_used\", \"already_reversed\", \"not_reversible\", \"route_conflict\", \"object_full\", \"likely_mistake\", \"event_archived\"], str]",
    "message": "str",
    "remarks": "str",
})

ExchangeRates = TypedDict("ExchangeRates", {
    "holding_to_payout": "\"Decimal\"",
    "payout_to_destination": "\"Decimal\"",
})

ExplainedConversion = TypedDict("ExplainedConversion", {
    "from": "str",
    "to": "str",
    "method": "Literal[\"same_currency\", \"direct\", \"inverted\", \"crossed\"]",
    "rows": "List[\"RateBookRow\"]",
    "mid": "\"ExplainedMid\"",
    "compared_with": "Union[\"ComparedWay\", None]",
})

ExplainedFee = TypedDict("ExplainedFee", {
    "payout_type": "\"PayoutType\"",
    "payout_currency": "Union[str, None]",
    "destination_country": "Union[str, None]",
    "network": "Union[str, None]",
    "charge_type": "Union[str, None]",
    "fixed_amount": "\"DecimalText\"",
    "fee_currency": "str",
    "variable_bps": "int",
    "minimum_amount": "Union[\"DecimalText\", None]",
    "maximum_amount": "Union[\"DecimalText\", None]",
})

ExplainedFigure = TypedDict("ExplainedFigure", {
    "figure": "str",
    "currency": "str",
    "formula": "str",
    "calculation": "str",
    "unrounded": "\"DecimalText\"",
    "truncated": "bool",
    "rounded": "str",
    "rounding": "Literal[\"up\", \"down\", \"none\"]",
})

ExplainedMid = TypedDict("ExplainedMid", {
    "formula": "str",
    "calculation": "str",
    "unrounded": "\"DecimalText\"",
    "truncated": "bool",
})

ExplainedRate = TypedDict("ExplainedRate", {
    "figure": "str",
    "from": "str",
    "to": "str",
    "method": "Literal[\"same_currency\", \"direct\", \"inverted\", \"crossed\"]",
    "rows": "List[\"RateBookRow\"]",
    "mid": "\"ExplainedMid\"",
    "compared_with": "Union[\"ComparedWay\", None]",
    "spread_bps": "int",
    "formula": "str",
    "calculation": "str",
    "unrounded": "\"DecimalText\"",
    "truncated": "bool",
    "rounded": "\"DecimalText\"",
    "rounding": "Literal[\"down_12_digits\", \"none\"]",
})

FailureCode = Union[Literal["OP000100", "PF000100", "PF000300", "PF000310", "PF000320", "PF000330", "PF000400", "PF000410", "PF000500", "PF000510", "PF000511", "PF000512", "PF000513", "PF000520", "PF000521", "PF000530", "PF000540", "PF000550", "PF000555", "PF000560", "PF000570", "PF000575", "PF000580", "PF000590", "PF000595", "PF000600", "PF000610", "PF000671", "PF000690", "PF000900", "PR000500", "PR000510", "PR000511", "PR000512", "PR000513", "PR000520", "PR000521", "PR000530", "PR000540", "PR000550", "PR000555", "PR000560", "PR000570", "PR000575", "PR000580", "PR000590", "PR000595", "PR000600", "PR000900"], str]

Fee = TypedDict("Fee", {
    "in_holding_currency": "int",
    "in_payout_currency": "int",
})

Fees = TypedDict("Fees", {
    "fixed": "\"Fee\"",
    "variable": "\"Fee\"",
})

ForeseenPayout = TypedDict("ForeseenPayout", {
    "position": "int",
    "outcome": "Literal[\"would_create\", \"would_hold\", \"would_refuse\", \"would_await_approval\"]",
    "reference_id": "str",
    "holding_currency": "str",
    "total_debit": "str",
    "approvals_needed": "int",
    "errors": "List[\"ErrorDetail\"]",
})

Funding = TypedDict("Funding", {
    "amount": "\"Amount\"",
    "currency": "\"CurrencyCode\"",
})

FundingInstruction = TypedDict("FundingInstruction", {
    "kind": "Literal[\"virtual_iban\", \"reference\", \"payer_account\", \"address\"]",
    "value": "str",
    "currency": "str",
    "institution": "str",
    "account": "str",
    "bic": "str",
})

FundingInstructions = TypedDict("FundingInstructions", {
    "instructions": "List[\"FundingInstruction\"]",
})

FxTransaction = TypedDict("FxTransaction", {
    "id": NotRequired["str"],
    "object": NotRequired["Literal[\"fx_transaction\"]"],
    "exchange_rate": NotRequired["\"Decimal\""],
    "initial": NotRequired["\"Money\""],
    "final": NotRequired["\"Money\""],
})

IndicativeRate = TypedDict("IndicativeRate", {
    "object": "Literal[\"rate\"]",
    "from": "str",
    "to": "str",
    "method": "Literal[\"same_currency\", \"direct\", \"inverted\", \"crossed\"]",
    "rows": "List[\"RateBookRow\"]",
    "compared_with": "Union[\"ComparedRows\", None]",
    "rate": "\"Decimal\"",
    "mid": "\"DecimalText\"",
    "spread_bps": "int",
    "good_until": "Union[\"Timestamp\", None]",
})

LocalPaymentNetworkDestination = TypedDict("LocalPaymentNetworkDestination", {
    "type": "str",
    "deposit_key_type": NotRequired["str"],
    "deposit_key": NotRequired["str"],
})

LocalPaymentNetworkDestinationDetails = TypedDict("LocalPaymentNetworkDestinationDetails", {
    "type": "Literal[\"local_payment_network\"]",
    "local_payment_network": "\"LocalPaymentNetworkDestination\"",
})

LoggedRequest = TypedDict("LoggedRequest", {
    "id": "str",
    "object": "Literal[\"logged_request\"]",
    "created_at": "\"Timestamp\"",
    "request_id": "str",
    "key_id": "str",
    "method": "str",
    "path": "str",
    "outcome": "Literal[\"succeeded\", \"refused\", \"failed\", \"abandoned\"]",
    "status": "Union[int, None]",
    "duration_ms": "\"Decimal\"",
    "reason": "Union[Literal[\"invalid_json\", \"internal\", \"service_unavailable\", \"clock_jumped\", \"invalid_path_parameter\", \"invalid_query_parameter\", \"not_found\", \"insufficient_scope\", \"sandbox_only\", \"invalid_credentials\", \"missing_credentials\", \"rate_limited\", \"quota_exceeded\", \"invalid_request\", \"request_timeout\", \"unsupported_media_type\", \"payload_too_large\", \"headers_too_large\", \"uri_too_long\", \"misdirected_request\", \"unknown_version\", \"method_not_allowed\", \"account_frozen\", \"account_closed\", \"invalid_field\", \"cross_site_request\", \"insecure_connection\", \"password_needed\", \"invalid_login\", \"session_over\", \"code_needed\", \"enrolment_needed\", \"idempotency_key_reused\", \"invalid_idempotency_key\", \"currency\", \"holding_currency_not_found\", \"beneficiary_missing\", \"type_mismatch\", \"beneficiary_not_found\", \"entity_not_found\", \"insufficient_balance\", \"amount_mismatch\", \"amount_out_of_range\", \"quote_expired\", \"quote_used\", \"quote_mismatch\", \"rate_stale\", \"fee_unavailable\", \"rate_unavailable\", \"deposit_address_not_found\", \"deposit_currency_not_accepted\", \"invalid_transition\", \"entity_duplicate\", \"entity_changed\", \"approval_not_allowed\", \"approval_needed\", \"already_decided\", \"approval_outdated\", \"notice_outdated\", \"notice_without_value\", \"payout_not_cancellable\", \"payout_not_paid\", \"possible_duplicate_payout\", \"max_total_debit_exceeded\", \"balance_limit_exceeded\", \"route_unavailable\", \"calendar_ended\", \"limit_exceeded\", \"beneficiary_not_approved\", \"beneficiary_archived\", \"party_erased\", \"erasure_refused\", \"webhook_endpoint_limit\", \"webhook_endpoint_disabled\", \"source_already_used\", \"reference_already_used\", \"already_reversed\", \"not_reversible\", \"route_conflict\", \"object_full\", \"likely_mistake\", \"event_archived\"], str]",
    "remarks": "str",
})

LogisticsProvider = TypedDict("LogisticsProvider", {
    "code": NotRequired["str"],
    "name": NotRequired["str"],
})

LogisticsTracking = TypedDict("LogisticsTracking", {
    "tracking_number": NotRequired["str"],
    "tracking_type": NotRequired["str"],
    "logistics_provider_code": NotRequired["str"],
    "logistics_provider_name": NotRequired["str"],
    "logistics_provider": NotRequired["\"LogisticsProvider\""],
})

MadeBy = str

Maker = TypedDict("Maker", {
    "object": "Literal[\"maker\"]",
    "id": "str",
    "kind": "Literal[\"key\", \"user\"]",
    "name": "str",
    "active": "bool",
})

Makers = TypedDict("Makers", {
    "object": "Literal[\"makers\"]",
    "makers": "List[\"Maker\"]",
    "truncated": "bool",
})

Metadata = dict[str, str]

MetadataChanges = Union[dict[str, Union[str, None]], None]

Money = TypedDict("Money", {
    "amount": "int",
    "currency": "str",
})

NationalIdentification = TypedDict("NationalIdentification", {
    "type": NotRequired["str"],
    "number": NotRequired["str"],
})

Network = TypedDict("Network", {
    "object": "Literal[\"network\"]",
    "type": "Literal[\"local\", \"local_payment_network\", \"wallet\"]",
    "name": "str",
    "title": "str",
    "currencies": "List[str]",
    "countries": "List[str]",
    "minimum_amount": "Union[int, None]",
    "maximum_amount": "Union[int, None]",
})

Networks = TypedDict("Networks", {
    "object": "Literal[\"networks\"]",
    "networks": "List[\"Network\"]",
})

NothingBefore = dict[str, Any]

OptionPrice = TypedDict("OptionPrice", {
    "holding_info": "\"Money\"",
    "payout_info": "\"Money\"",
    "destination_info": "\"Money\"",
    "fee_info": "\"Fees\"",
    "exchange_rates": "\"ExchangeRates\"",
    "total_debit": "\"Money\"",
})

OptionsRequest = TypedDict("OptionsRequest", {
    "payout_info": "dict[str, Any]",
    "holding_info": NotRequired["dict[str, Any]"],
    "destination_info": NotRequired["dict[str, Any]"],
    "entity_id": NotRequired["str"],
})

Payout = TypedDict("Payout", {
    "id": "str",
    "object": "Literal[\"payout\"]",
    "amount": "int",
    "currency": "str",
    "holding_currency": "str",
    "fee_info": "\"Fees\"",
    "total_debit": "\"TotalDebit\"",
    "balance_transaction": "str",
    "beneficiary": "str",
    "beneficiary_details": "\"BeneficiaryDetailsShown\"",
    "charge_type": "str",
    "confirmation_documents": "List[\"AttachedDocument\"]",
    "documents": "List[\"AttachedDocument\"]",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
    "updated_at": "str",
    "execute_at": "Union[\"Timestamp\", None]",
    "expected_at": "Union[\"Timestamp\", None]",
    "holding_fx_quote": "str",
    "holding_fx_transaction": "\"FxTransaction\"",
    "payout_fx_transaction": "\"FxTransaction\"",
    "local": "dict[str, Any]",
    "logistics_tracking_details": "List[\"LogisticsTracking\"]",
    "metadata": "Union[\"Metadata\", None]",
    "mt103": "str",
    "on_behalf_of": "str",
    "purpose": "str",
    "quote": "str",
    "rail": "str",
    "reference_id": "str",
    "creditor_reference": "str",
    "statement_descriptor": "str",
    "status": "\"PayoutStatus\"",
    "status_description": "str",
    "failure": "Union[\"PayoutFailure\", None]",
    "tracking_details": "dict[str, Any]",
    "transaction_description": "str",
    "type": "\"PayoutType\"",
    "expanded": NotRequired["dict[str, Any]"],
})

PayoutApproval = TypedDict("PayoutApproval", {
    "object": "Literal[\"payout_approval\"]",
    "payout": "str",
    "payout_import": "str",
    "status": "Literal[\"pending\", \"approved\", \"rejected\", \"expired\", \"cancelled\", \"failed\"]",
    "needed": "int",
    "given": "int",
    "digest": "str",
    "made_by": "str",
    "requested_at": "\"Timestamp\"",
    "expires_at": "\"Timestamp\"",
    "ended_at": "Union[str, None]",
    "decisions": "List[\"ApprovalDecision\"]",
})

PayoutBatch = TypedDict("PayoutBatch", {
    "id": "str",
    "object": "Literal[\"payout_batch\"]",
    "mode": "Literal[\"all_or_nothing\", \"best_effort\"]",
    "dry_run": "bool",
    "status": "Literal[\"completed\", \"would_complete\", \"would_be_refused\"]",
    "counts": "\"PayoutBatchCounts\"",
    "totals": "List[\"PayoutBatchTotal\"]",
    "refused": "List[\"PayoutBatchItem\"]",
    "payouts": NotRequired["List[\"ForeseenPayout\"]"],
    "reference_id": "str",
    "metadata": "Union[\"Metadata\", None]",
    "made_by": "\"MadeBy\"",
    "created_at": "\"Timestamp\"",
})

PayoutBatchApproval = TypedDict("PayoutBatchApproval", {
    "object": "Literal[\"payout_batch_approval\"]",
    "payout_batch": "str",
    "waiting": "int",
    "totals": "List[\"WaitingTotal\"]",
    "made_by": "List[str]",
    "approved_by": "List[str]",
    "needed": "int",
    "expires_at": "Union[str, None]",
    "digest": "str",
    "ended": "List[\"EndedApprovals\"]",
})

PayoutBatchCounts = TypedDict("PayoutBatchCounts", {
    "payouts": "int",
    "created": "int",
    "held": "int",
    "refused": "int",
})

PayoutBatchDecision = TypedDict("PayoutBatchDecision", {
    "object": "Literal[\"payout_batch_decision\"]",
    "payout_batch": "str",
    "decision": "Literal[\"approve\", \"reject\"]",
    "payouts": "List[\"DecidedPayouts\"]",
})

PayoutBatchItem = TypedDict("PayoutBatchItem", {
    "object": "Literal[\"payout_batch_item\"]",
    "position": "int",
    "status": "Literal[\"created\", \"held\", \"refused\"]",
    "payout": "str",
    "reference_id": "str",
    "errors": "List[\"ErrorDetail\"]",
})

PayoutBatchRequest = TypedDict("PayoutBatchRequest", {
    "mode": NotRequired["Literal[\"all_or_nothing\", \"best_effort\"]"],
    "dry_run": NotRequired["bool"],
    "reference_id": NotRequired["str"],
    "metadata": NotRequired["\"Metadata\""],
    "payouts": "List[\"PayoutRequest\"]",
})

PayoutBatchTotal = TypedDict("PayoutBatchTotal", {
    "currency": "str",
    "payouts": "int",
    "amount": "str",
    "fixed_fee": "str",
    "variable_fee": "str",
    "total_debit": "str",
    "available_after": "str",
})

PayoutDryRun = TypedDict("PayoutDryRun", {
    "object": "Literal[\"payout_dry_run\"]",
    "outcome": "Literal[\"would_create\", \"would_await_approval\", \"would_hold\", \"would_refuse\"]",
    "errors": "List[\"ErrorDetail\"]",
    "warnings": "List[str]",
    "complete": "bool",
    "price": "Union[\"DryRunPrice\", None]",
    "rail": "str",
    "held_for": "str",
    "execute_at": "Union[\"Timestamp\", None]",
    "approvals_needed": "int",
})

PayoutEvent = TypedDict("PayoutEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"payout.created\", \"payout.pending_approval\", \"payout.approved\", \"payout.rejected\", \"payout.processing\", \"payout.requires_action\", \"payout.compliance_hold\", \"payout.succeeded\", \"payout.failed\", \"payout.reversed\", \"payout.sent\", \"payout.rerouted\", \"payout.taken\", \"payout.released\", \"payout.notified\", \"payout.updated\", \"payout.erased\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"Payout\"",
    "previous_attributes": "\"PayoutEventBefore\"",
    "change": "\"PayoutEventChange\"",
    "erased": "bool",
})

PayoutEventBefore = TypedDict("PayoutEventBefore", {
    "id": NotRequired["str"],
    "object": NotRequired["Literal[\"payout\"]"],
    "amount": NotRequired["int"],
    "currency": NotRequired["str"],
    "holding_currency": NotRequired["str"],
    "fee_info": NotRequired["\"Fees\""],
    "total_debit": NotRequired["\"TotalDebit\""],
    "balance_transaction": NotRequired["str"],
    "beneficiary": NotRequired["str"],
    "beneficiary_details": NotRequired["\"BeneficiaryDetailsShown\""],
    "charge_type": NotRequired["str"],
    "confirmation_documents": NotRequired["List[\"AttachedDocument\"]"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "made_by": NotRequired["\"MadeBy\""],
    "created_at": NotRequired["\"Timestamp\""],
    "updated_at": NotRequired["str"],
    "execute_at": NotRequired["Union[\"Timestamp\", None]"],
    "expected_at": NotRequired["Union[\"Timestamp\", None]"],
    "holding_fx_quote": NotRequired["str"],
    "holding_fx_transaction": NotRequired["\"FxTransaction\""],
    "payout_fx_transaction": NotRequired["\"FxTransaction\""],
    "local": NotRequired["dict[str, Any]"],
    "logistics_tracking_details": NotRequired["List[\"LogisticsTracking\"]"],
    "metadata": NotRequired["Union[\"Metadata\", None]"],
    "mt103": NotRequired["str"],
    "on_behalf_of": NotRequired["str"],
    "purpose": NotRequired["str"],
    "quote": NotRequired["str"],
    "rail": NotRequired["str"],
    "reference_id": NotRequired["str"],
    "creditor_reference": NotRequired["str"],
    "statement_descriptor": NotRequired["str"],
    "status": NotRequired["\"PayoutStatus\""],
    "status_description": NotRequired["str"],
    "failure": NotRequired["Union[\"PayoutFailure\", None]"],
    "tracking_details": NotRequired["dict[str, Any]"],
    "transaction_description": NotRequired["str"],
    "type": NotRequired["\"PayoutType\""],
    "expanded": NotRequired["dict[str, Any]"],
})

PayoutEventChange = TypedDict("PayoutEventChange", {
    "by": NotRequired["Literal[\"account\", \"rail\", \"operator\", \"review\", \"approval\"]"],
    "reason": NotRequired["str"],
    "reference": NotRequired["str"],
    "journals": NotRequired["List[int]"],
    "answer": NotRequired["int"],
    "rail": NotRequired["str"],
    "previous_rail": NotRequired["str"],
    "attempt": NotRequired["int"],
    "rail_attempt": NotRequired["\"RailAttemptTold\""],
    "notice": NotRequired["\"BankNotice\""],
    "approval": NotRequired["\"ApprovalTold\""],
    "made_by": NotRequired["\"MadeBy\""],
})

PayoutFailure = TypedDict("PayoutFailure", {
    "code": "\"FailureCode\"",
    "category": "str",
    "message": "str",
})

PayoutGroup = TypedDict("PayoutGroup", {
    "object": "Literal[\"payout_group\"]",
    "id": "str",
    "totals": "List[\"WaitingTotal\"]",
    "made_by": "List[str]",
    "since": "\"Timestamp\"",
})

PayoutGroups = TypedDict("PayoutGroups", {
    "object": "Literal[\"payout_groups\"]",
    "groups": "List[\"PayoutGroup\"]",
})

PayoutImportApproval = TypedDict("PayoutImportApproval", {
    "object": "Literal[\"payout_import_approval\"]",
    "payout_import": "str",
    "waiting": "int",
    "further": "int",
    "totals": "List[\"WaitingTotal\"]",
    "made_by": "List[str]",
    "approved_by": "List[str]",
    "needed": "int",
    "expires_at": "Union[str, None]",
    "digest": "str",
    "ended": "List[\"EndedApprovals\"]",
})

PayoutImportDecision = TypedDict("PayoutImportDecision", {
    "object": "Literal[\"payout_import_decision\"]",
    "payout_import": "str",
    "decision": "Literal[\"approve\", \"reject\"]",
    "payouts": "List[\"DecidedPayouts\"]",
})

PayoutOption = TypedDict("PayoutOption", {
    "object": "Literal[\"payout_option\"]",
    "possible": "bool",
    "errors": "List[\"ErrorDetail\"]",
    "price": "Union[\"OptionPrice\", None]",
    "expected_at": "Union[\"Timestamp\", None]",
    "rail": "str",
    "failover": "List[str]",
    "rail_figures": "Union[\"RailFigures\", None]",
    "quote_request": "\"QuoteRequest\"",
})

PayoutOptions = TypedDict("PayoutOptions", {
    "object": "Literal[\"payout_options\"]",
    "options": "List[\"PayoutOption\"]",
})

PayoutQuote = TypedDict("PayoutQuote", {
    "id": "str",
    "object": "Literal[\"payout_quote\"]",
    "payout_type": "\"PayoutType\"",
    "local": "dict[str, Any]",
    "local_payment_network": "dict[str, Any]",
    "wallet": "dict[str, Any]",
    "holding_info": "\"Money\"",
    "payout_info": "\"Money\"",
    "destination_info": "\"Money\"",
    "fee_info": "\"Fees\"",
    "exchange_rates": "\"ExchangeRates\"",
    "total_debit": "\"Money\"",
    "valid_until": "str",
    "expected_at": "Union[str, None]",
    "status": "Literal[\"active\", \"used\", \"expired\"]",
    "made_by": "\"MadeBy\"",
    "created_at": "str",
    "updated_at": "str",
    "explanation": NotRequired["\"QuoteExplanation\""],
})

PayoutQuoteDeleted = TypedDict("PayoutQuoteDeleted", {
    "id": "str",
    "object": "Literal[\"payout_quote\"]",
    "deleted": "Literal[True]",
})

PayoutQuoteEvent = TypedDict("PayoutQuoteEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"payout_quote.created\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "Union[\"PayoutQuote\", \"PayoutQuoteDeleted\"]",
    "previous_attributes": "\"NothingBefore\"",
    "change": "\"ChangeByMaker\"",
    "erased": "bool",
})

PayoutRequest = TypedDict("PayoutRequest", {
    "amount": "\"Amount\"",
    "currency": "\"CurrencyCode\"",
    "type": NotRequired["Literal[\"swift\", \"local\", \"local_payment_network\", \"wallet\", \"service_account\"]"],
    "purpose": "str",
    "transaction_description": NotRequired["str"],
    "beneficiary": NotRequired["str"],
    "beneficiary_details": NotRequired["\"BeneficiaryDetails\""],
    "quote": NotRequired["str"],
    "holding_currency": NotRequired["\"CurrencyCode\""],
    "charge_type": NotRequired["Literal[\"shared\", \"ours\"]"],
    "local": NotRequired["dict[str, Any]"],
    "reference_id": NotRequired["str"],
    "creditor_reference": NotRequired["str"],
    "statement_descriptor": NotRequired["str"],
    "documents": NotRequired["List[\"AttachedDocument\"]"],
    "logistics_tracking_details": NotRequired["List[\"LogisticsTracking\"]"],
    "metadata": NotRequired["\"Metadata\""],
    "on_behalf_of": NotRequired["str"],
    "execute_at": NotRequired["str"],
    "max_total_debit": NotRequired["int"],
    "allow_duplicate": NotRequired["bool"],
})

PayoutRequirements = TypedDict("PayoutRequirements", {
    "object": "Literal[\"payout_requirements\"]",
    "type": "\"PayoutType\"",
    "currency": "str",
    "country": "str",
    "network": "str",
    "alternatives": "List[\"RequirementAlternative\"]",
    "networks": "List[\"RequirementNetwork\"]",
    "purpose": "\"RequirementPurpose\"",
    "creditor_reference": "\"RequirementReference\"",
})

PayoutStatus = Literal["pending_approval", "processing", "requires_action", "compliance_hold", "succeeded", "failed", "reversed"]

PayoutTimeline = TypedDict("PayoutTimeline", {
    "object": "Literal[\"payout_timeline\"]",
    "payout": "str",
    "status": "Literal[\"pending_approval\", \"processing\", \"requires_action\", \"compliance_hold\", \"succeeded\", \"failed\", \"reversed\"]",
    "truncated": "bool",
    "archived_to": "Union[str, None]",
    "under_review": "bool",
    "items": "List[\"TimelineItem\"]",
})

PayoutTotals = TypedDict("PayoutTotals", {
    "object": "Literal[\"payout_totals\"]",
    "complete": "bool",
    "count": "int",
    "paid": "List[dict[str, Any]]",
    "debited": "List[dict[str, Any]]",
})

PayoutType = Literal["swift", "local", "local_payment_network", "wallet", "service_account"]

PayoutUpdate = TypedDict("PayoutUpdate", {
    "metadata": "\"MetadataChanges\"",
})

Phone = TypedDict("Phone", {
    "code": NotRequired["str"],
    "calling_code": NotRequired["str"],
    "number": NotRequired["str"],
})

Posting = TypedDict("Posting", {
    "code": "str",
    "currency": "str",
    "amount": "int",
})

QuoteExplanation = TypedDict("QuoteExplanation", {
    "object": "Literal[\"quote_explanation\"]",
    "currencies": "List[dict[str, Any]]",
    "rates": "List[\"ExplainedRate\"]",
    "fee_row": "Union[\"ExplainedFee\", None]",
    "fee_conversion": "Union[\"ExplainedConversion\", None]",
    "amounts": "List[\"ExplainedFigure\"]",
    "total_debit": "\"ExplainedFigure\"",
})

QuoteRequest = TypedDict("QuoteRequest", {
    "payout_type": NotRequired["Literal[\"swift\", \"local\", \"local_payment_network\", \"wallet\", \"service_account\"]"],
    "payout_info": "dict[str, Any]",
    "total_debit": NotRequired["int"],
    "holding_info": NotRequired["dict[str, Any]"],
    "destination_info": NotRequired["dict[str, Any]"],
    "local": NotRequired["dict[str, Any]"],
    "local_payment_network": NotRequired["dict[str, Any]"],
    "wallet": NotRequired["dict[str, Any]"],
    "swift": NotRequired["dict[str, Any]"],
    "entity_id": NotRequired["str"],
})

RailAttemptTold = TypedDict("RailAttemptTold", {
    "number": "int",
    "rail": "str",
    "uetr": "str",
    "references": "dict[str, str]",
    "released_at": "Union[\"Timestamp\", None]",
    "expected_at": "Union[\"Timestamp\", None]",
})

RailFigures = TypedDict("RailFigures", {
    "days": "int",
    "payouts": "int",
    "succeeded": "int",
    "success_rate_bps": "int",
    "median_seconds": "Union[int, None]",
})

RateBookRow = TypedDict("RateBookRow", {
    "base": "str",
    "quote": "str",
    "mid": "\"DecimalText\"",
    "source": "str",
    "as_of": "\"Timestamp\"",
    "inverted": "bool",
})

RejectRequest = TypedDict("RejectRequest", {
    "reason": "str",
    "digest": NotRequired["str"],
})

Representative = TypedDict("Representative", {
    "first_name": NotRequired["str"],
    "middle_name": NotRequired["str"],
    "last_name": NotRequired["str"],
    "date_of_birth": NotRequired["str"],
    "nationality": NotRequired["\"EntityCountry\""],
    "ownership_percentage": NotRequired["Union[int, str]"],
    "roles": NotRequired["List[str]"],
    "address": NotRequired["\"EntityAddress\""],
    "email": NotRequired["str"],
    "phone": NotRequired["\"Phone\""],
    "national_identification_number": NotRequired["\"NationalIdentification\""],
})

RequirementAlternative = TypedDict("RequirementAlternative", {
    "name": "str",
    "countries": "List[str]",
    "networks": "List[str]",
    "fields": "List[\"RequirementField\"]",
    "example": "Any",
})

RequirementField = TypedDict("RequirementField", {
    "path": "str",
    "pattern": "str",
    "description": "str",
    "example": "str",
    "required": "bool",
    "or": "List[\"RequirementInstead\"]",
})

RequirementInstead = TypedDict("RequirementInstead", {
    "path": "str",
    "pattern": "str",
    "description": "str",
    "example": "str",
})

RequirementNetwork = TypedDict("RequirementNetwork", {
    "name": "str",
    "title": "str",
    "currencies": "List[str]",
    "countries": "List[str]",
    "minimum_amount": "Union[int, None]",
    "maximum_amount": "Union[int, None]",
})

RequirementPurpose = TypedDict("RequirementPurpose", {
    "codes": "List[str]",
    "pattern": "str",
    "max_length": "int",
})

RequirementReference = TypedDict("RequirementReference", {
    "pattern": "str",
    "required_for": "str",
})

RouteTaken = TypedDict("RouteTaken", {
    "account": "Union[str, None]",
    "type": "Union[str, None]",
    "network": "Union[str, None]",
    "currency": "Union[str, None]",
    "country": "Union[str, None]",
    "min_amount": "Union[int, None]",
    "max_amount": "Union[int, None]",
    "priority": "int",
})

SandboxClock = TypedDict("SandboxClock", {
    "object": "Literal[\"sandbox_clock\"]",
    "now": "\"Timestamp\"",
    "ahead_s": "int",
})

SandboxReview = TypedDict("SandboxReview", {
    "status": "Literal[\"approved\", \"rejected\", \"requires_action\"]",
    "description": NotRequired["str"],
})

Search = TypedDict("Search", {
    "object": "Literal[\"search\"]",
    "has_more": "bool",
    "newest_only": "List[Union[Literal[\"id\", \"quote\", \"uetr\", \"reference_id\", \"bank_reference\", \"account_number\", \"account_ending\", \"email\", \"amount\", \"name\"], str]]",
    "results": "List[\"SearchResult\"]",
})

SearchResult = TypedDict("SearchResult", {
    "object": "Literal[\"payout\", \"beneficiary\", \"entity\", \"payout_batch\"]",
    "id": "str",
    "name": "str",
    "amount": "Union[int, None]",
    "currency": "str",
    "status": "str",
    "reference_id": "str",
    "matched": "Union[Literal[\"id\", \"quote\", \"uetr\", \"reference_id\", \"bank_reference\", \"account_number\", \"account_ending\", \"email\", \"amount\", \"name\"], str]",
    "created_at": "\"Timestamp\"",
})

SecretRotationRequest = Union[dict[str, Any], None]

SequenceRange = TypedDict("SequenceRange", {
    "from": NotRequired["int"],
    "to": NotRequired["int"],
})

ServiceAccountDestination = TypedDict("ServiceAccountDestination", {
    "deposit_address": "str",
})

ServiceAccountDestinationDetails = TypedDict("ServiceAccountDestinationDetails", {
    "type": "Literal[\"service_account\"]",
    "service_account": "\"ServiceAccountDestination\"",
})

TimelineApproval = TypedDict("TimelineApproval", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"approval\"]",
    "decision": "Literal[\"approve\", \"reject\"]",
    "by_hand": "\"ByHand\"",
    "given": "int",
    "needed": "int",
    "event": "str",
    "sequence": "int",
})

TimelineAttempt = TypedDict("TimelineAttempt", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"attempt\"]",
    "number": "int",
    "rail": "str",
    "route": "Union[\"RouteTaken\", None]",
    "reason": "str",
    "state": "Literal[\"waiting\", \"waits_for_funds\", \"handed_over\", \"paid\", \"failed\", \"not_taken\", \"returned\"]",
    "uetr": "str",
    "references": "dict[str, str]",
    "release_at": "Union[str, None]",
    "handed_over_at": "Union[str, None]",
    "released_at": "Union[str, None]",
    "expected_at": "Union[str, None]",
    "ended_at": "Union[str, None]",
    "failure": "Union[\"PayoutFailure\", None]",
    "why_not_taken": "str",
})

TimelineHandling = TypedDict("TimelineHandling", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"handling\"]",
    "action": "Literal[\"taken\", \"released\"]",
    "by_hand": "\"ByHand\"",
    "event": "str",
    "sequence": "int",
})

TimelineItem = Union["TimelineState", "TimelineRoute", "TimelineAttempt", "TimelineReview", "TimelineReroute", "TimelineHandling", "TimelineApproval", "TimelineUpdate", "TimelineJournal", "TimelineWebhookAttempt"]

TimelineJournal = TypedDict("TimelineJournal", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"journal\"]",
    "event": "str",
    "journal_number": "int",
    "journal_kind": "Literal[\"payout\", \"settlement\", \"failure\", \"reversal\"]",
    "hash": "str",
    "postings": "List[\"Posting\"]",
    "balance_transaction": "Union[str, None]",
    "balance_after": "Union[str, None]",
})

TimelineReroute = TypedDict("TimelineReroute", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"reroute\"]",
    "rail": "str",
    "previous_rail": "str",
    "attempt": "int",
    "by": "Literal[\"account\", \"rail\", \"operator\", \"review\", \"approval\"]",
    "event": "str",
    "sequence": "int",
})

TimelineReview = TypedDict("TimelineReview", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"review\"]",
    "attempt": "int",
    "ended_at": "Union[str, None]",
    "reason": "str",
})

TimelineRoute = TypedDict("TimelineRoute", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"route\"]",
    "rail": "str",
    "route": "Union[\"RouteTaken\", None]",
    "reason": "str",
    "event": "str",
    "sequence": "int",
})

TimelineState = TypedDict("TimelineState", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"state\"]",
    "status": "\"PayoutStatus\"",
    "previous_status": "Literal[\"pending_approval\", \"processing\", \"requires_action\", \"compliance_hold\", \"succeeded\", \"failed\", \"reversed\", null]",
    "by": "Literal[\"account\", \"rail\", \"operator\", \"review\", \"approval\", null]",
    "made_by": "str",
    "status_description": "str",
    "failure": "Union[\"PayoutFailure\", None]",
    "answer": "Union[int, None]",
    "by_hand": "Union[\"ByHand\", None]",
    "event": "str",
    "sequence": "int",
})

TimelineUpdate = TypedDict("TimelineUpdate", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"update\"]",
    "made_by": "str",
    "event": "str",
    "sequence": "int",
})

TimelineWebhookAttempt = TypedDict("TimelineWebhookAttempt", {
    "at": "\"Timestamp\"",
    "kind": "Literal[\"webhook_attempt\"]",
    "endpoint": "str",
    "delivery": "str",
    "event": "str",
    "event_type": "str",
    "attempt": "int",
    "status_code": "Union[int, None]",
    "error": "str",
    "outcome": "Literal[\"delivered\", \"will_retry\", \"failed\"]",
    "retry_at": "Union[str, None]",
    "duration_ms": "int",
})

Timestamp = str

TotalDebit = TypedDict("TotalDebit", {
    "amount": "int",
    "currency": "str",
})

TransitionRequest = TypedDict("TransitionRequest", {
    "status": "Literal[\"processing\", \"requires_action\", \"compliance_hold\", \"succeeded\", \"failed\", \"reversed\"]",
    "description": NotRequired["str"],
    "failure": NotRequired["dict[str, Any]"],
})

ValuesBefore = TypedDict("ValuesBefore", {
    "name": NotRequired["str"],
    "account_number": NotRequired["str"],
    "routing_number": NotRequired["str"],
    "account_type": NotRequired["Literal[\"checking\", \"savings\"]"],
})

WaitingTotal = TypedDict("WaitingTotal", {
    "currency": "str",
    "payouts": "int",
    "amount": "str",
})

WalletDestination = TypedDict("WalletDestination", {
    "deposit_address": "str",
    "type": NotRequired["str"],
    "currency": NotRequired["\"CurrencyCode\""],
})

WalletDestinationDetails = TypedDict("WalletDestinationDetails", {
    "type": "Literal[\"wallet\"]",
    "wallet": "\"WalletDestination\"",
})

WebhookAttempt = TypedDict("WebhookAttempt", {
    "number": "int",
    "created_at": "\"Timestamp\"",
    "duration_ms": "int",
    "status_code": "Union[int, None]",
    "error": "str",
    "answer": "str",
})

WebhookDelivery = TypedDict("WebhookDelivery", {
    "id": "str",
    "object": "Literal[\"webhook_delivery\"]",
    "endpoint": "\"WebhookEndpointId\"",
    "event": "str",
    "event_type": "str",
    "object_id": "str",
    "status": "Literal[\"pending\", \"succeeded\", \"dead\", \"cancelled\"]",
    "attempt_count": "int",
    "next_attempt_at": "Union[str, None]",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
})

WebhookDeliveryDetails = TypedDict("WebhookDeliveryDetails", {
    "id": "str",
    "object": "Literal[\"webhook_delivery\"]",
    "endpoint": "\"WebhookEndpointId\"",
    "event": "str",
    "event_type": "str",
    "object_id": "str",
    "status": "Literal[\"pending\", \"succeeded\", \"dead\", \"cancelled\"]",
    "attempt_count": "int",
    "next_attempt_at": "Union[str, None]",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
    "attempts": "List[\"WebhookAttempt\"]",
})

WebhookEndpoint = TypedDict("WebhookEndpoint", {
    "id": "\"WebhookEndpointId\"",
    "object": "Literal[\"webhook_endpoint\"]",
    "url": "str",
    "description": "str",
    "event_types": "List[str]",
    "status": "Literal[\"enabled\", \"disabled\"]",
    "disabled_reason": "Literal[\"\", \"account\", \"gone\"]",
    "previous_secret_until": "Union[str, None]",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
})

WebhookEndpointDeleted = TypedDict("WebhookEndpointDeleted", {
    "id": "\"WebhookEndpointId\"",
    "object": "Literal[\"webhook_endpoint\"]",
    "deleted": "Literal[True]",
})

WebhookEndpointEvent = TypedDict("WebhookEndpointEvent", {
    "id": "str",
    "object": "Literal[\"event\"]",
    "type": "Literal[\"webhook_endpoint.test\"]",
    "created_at": "\"Timestamp\"",
    "sequence": "int",
    "account": "str",
    "object_id": "str",
    "data": "\"WebhookEndpoint\"",
    "previous_attributes": "\"NothingBefore\"",
    "change": "\"ChangeByMaker\"",
    "erased": "bool",
})

WebhookEndpointId = str

WebhookEndpointRequest = TypedDict("WebhookEndpointRequest", {
    "url": "str",
    "description": NotRequired["str"],
    "event_types": NotRequired["List[\"WebhookEventType\"]"],
})

WebhookEndpointUpdate = TypedDict("WebhookEndpointUpdate", {
    "url": NotRequired["str"],
    "description": NotRequired["Union[str, None]"],
    "event_types": NotRequired["Union[List[\"WebhookEventType\"], None]"],
    "status": NotRequired["Literal[\"enabled\", \"disabled\"]"],
})

WebhookEndpointWithSecret = TypedDict("WebhookEndpointWithSecret", {
    "id": "\"WebhookEndpointId\"",
    "object": "Literal[\"webhook_endpoint\"]",
    "url": "str",
    "description": "str",
    "event_types": "List[str]",
    "status": "Literal[\"enabled\", \"disabled\"]",
    "disabled_reason": "Literal[\"\", \"account\", \"gone\"]",
    "previous_secret_until": "Union[str, None]",
    "created_at": "\"Timestamp\"",
    "updated_at": "\"Timestamp\"",
    "secret": "str",
})

WebhookEventType = Literal["payout_quote.*", "payout_quote.created", "payout.*", "payout.created", "payout.pending_approval", "payout.approved", "payout.rejected", "payout.processing", "payout.requires_action", "payout.compliance_hold", "payout.succeeded", "payout.failed", "payout.reversed", "payout.sent", "payout.rerouted", "payout.taken", "payout.released", "payout.notified", "payout.updated", "payout.erased", "entity.*", "entity.created", "entity.updated", "entity.approval_pending", "entity.approval_submitted", "entity.approval_approved", "entity.approval_rejected", "entity.approval_requires_action", "entity.approval_resubmitted", "entity.erased", "beneficiary.*", "beneficiary.created", "beneficiary.updated", "beneficiary.pending_approval", "beneficiary.approved", "beneficiary.rejected", "beneficiary.archived", "beneficiary.unarchived", "beneficiary.erased", "balance_transaction.*", "balance_transaction.created", "conversion_quote.*", "conversion_quote.created", "conversion.*", "conversion.completed"]

WebhookReplay = TypedDict("WebhookReplay", {
    "object": "Literal[\"webhook_replay\"]",
    "endpoint": "\"WebhookEndpointId\"",
    "deliveries": "int",
    "has_more": "bool",
    "next": "Union[int, None]",
    "last": "Union[int, None]",
})

WebhookReplayRequest = TypedDict("WebhookReplayRequest", {
    "event": NotRequired["str"],
    "events": NotRequired["List[str]"],
    "created": NotRequired["\"CreatedRange\""],
    "sequence": NotRequired["\"SequenceRange\""],
    "status": NotRequired["Literal[\"dead\"]"],
    "event_types": NotRequired["List[\"WebhookEventType\"]"],
})

WebhookTestRequest = Union[dict[str, Any], None]

WrittenToday = TypedDict("WrittenToday", {
    "rows": "int",
    "bytes": "int",
    "until": "\"Timestamp\"",
})


class OperationsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def open_api(self, *, options: Options = Options()) -> Answer[dict[str, Any]]:
        """This document. `GET /openapi.json`"""
        return self._transport.call("GET", "/openapi.json", query={}, bare=True, options=options)

    def health(self, *, options: Options = Options()) -> Answer[dict[str, Any]]:
        """Is the process alive?. `GET /healthz`"""
        return self._transport.call("GET", "/healthz", query={}, bare=True, options=options)

    def readiness(self, *, options: Options = Options()) -> Answer[dict[str, Any]]:
        """Is the process ready to serve?. `GET /readyz`"""
        return self._transport.call("GET", "/readyz", query={}, bare=True, options=options)

    def metrics(self, *, options: Options = Options()) -> Raw:
        """The numbers of the process, for Prometheus. `GET /metrics`"""
        return self._transport.raw("GET", "/metrics", query={}, media="text/plain", options=options)


class AccountResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, options: Options = Options()) -> Answer["Account"]:
        """The account of the caller. `GET /v3/account`"""
        return self._transport.call("GET", "/v3/account", query={}, options=options)


class FundingInstructionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, options: Options = Options()) -> Answer["FundingInstructions"]:
        """How payers fund this account: where they pay to, and what they quote. `GET /v3/funding_instruction`"""
        return self._transport.call("GET", "/v3/funding_instruction", query={}, options=options)


class MakersResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, options: Options = Options()) -> Answer["Makers"]:
        """List the people and keys of the account that can make payouts and other objects. `GET /v3/maker`"""
        return self._transport.call("GET", "/v3/maker", query={}, options=options)


class SearchResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, q: str, options: Options = Options()) -> Answer["Search"]:
        """Find payouts, beneficiaries, entities and batches by one text. `GET /v3/search`"""
        return self._transport.call("GET", "/v3/search", query={"q": q}, options=options)


class PayoutsQuotesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: "QuoteRequest", *, explain: Optional[bool] = None, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutQuote"]:
        """Fix the fees and exchange rates of a payout in advance. `POST /v3/payout/quote`"""
        return self._transport.call("POST", "/v3/payout/quote", query={"explain": explain}, body=body, keyed=True, idempotency_key=idempotency_key, bare=True, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, status: Optional[Union[Literal["active", "used", "expired"], Sequence[Literal["active", "used", "expired"]]]] = None, payout_type: Optional[Union["PayoutType", Sequence["PayoutType"]]] = None, entity_id: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Listing["PayoutQuote"]:
        """List quotes, newest first. `GET /v3/payout/quote`"""
        return self._transport.list("id", "GET", "/v3/payout/quote", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "status": status, "payout_type": payout_type, "entity_id": entity_id}, options=options)

    def retrieve(self, id: str, *, explain: Optional[bool] = None, options: Options = Options()) -> Answer["PayoutQuote"]:
        """Fetch a quote. `GET /v3/payout/quote/{id}`"""
        return self._transport.call("GET", f"/v3/payout/quote/{segment(id)}", query={"explain": explain}, bare=True, options=options)


class PayoutsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.quotes = PayoutsQuotesResource(transport)

    def create(self, body: "PayoutRequest", *, dry_run: Optional[bool] = None, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer[Union["Payout", "PayoutDryRun"]]:
        """Pay a beneficiary, at a quote or at the rates of this moment. `POST /v3/payout`"""
        return self._transport.call("POST", "/v3/payout", query={"dry_run": dry_run}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, expand: Optional[Union[Literal["beneficiary", "quote", "on_behalf_of", "balance_transaction", "approval"], Sequence[Literal["beneficiary", "quote", "on_behalf_of", "balance_transaction", "approval"]]]] = None, sort: Optional[Literal["amount", "-amount", "created_at"]] = None, metadata: Optional[dict[str, str]] = None, status: Optional[Union["PayoutStatus", Sequence["PayoutStatus"]]] = None, currency: Optional[Union[str, Sequence[str]]] = None, holding_currency: Optional[Union[str, Sequence[str]]] = None, type: Optional[Union["PayoutType", Sequence["PayoutType"]]] = None, reference_id: Optional[str] = None, on_behalf_of: Optional[Union[str, Sequence[str]]] = None, quote: Optional[Union[str, Sequence[str]]] = None, beneficiary: Optional[Union[str, Sequence[str]]] = None, made_by: Optional[Union[str, Sequence[str]]] = None, beneficiary_name: Optional[str] = None, scheduled: Optional[Literal["true"]] = None, options: Options = Options()) -> Listing["Payout"]:
        """List payouts, newest first. `GET /v3/payout`"""
        return self._transport.list("id", "GET", "/v3/payout", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "expand": expand, "sort": sort, "metadata": metadata, "status": status, "currency": currency, "holding_currency": holding_currency, "type": type, "reference_id": reference_id, "on_behalf_of": on_behalf_of, "quote": quote, "beneficiary": beneficiary, "made_by": made_by, "beneficiary_name": beneficiary_name, "scheduled": scheduled}, options=options)

    def totals(self, *, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, metadata: Optional[dict[str, str]] = None, status: Optional[Union["PayoutStatus", Sequence["PayoutStatus"]]] = None, currency: Optional[Union[str, Sequence[str]]] = None, holding_currency: Optional[Union[str, Sequence[str]]] = None, type: Optional[Union["PayoutType", Sequence["PayoutType"]]] = None, reference_id: Optional[str] = None, on_behalf_of: Optional[Union[str, Sequence[str]]] = None, quote: Optional[Union[str, Sequence[str]]] = None, beneficiary: Optional[Union[str, Sequence[str]]] = None, made_by: Optional[Union[str, Sequence[str]]] = None, beneficiary_name: Optional[str] = None, scheduled: Optional[Literal["true"]] = None, options: Options = Options()) -> Answer["PayoutTotals"]:
        """The sums by currency of the payouts that filters fit. `GET /v3/payout/totals`"""
        return self._transport.call("GET", "/v3/payout/totals", query={"created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "metadata": metadata, "status": status, "currency": currency, "holding_currency": holding_currency, "type": type, "reference_id": reference_id, "on_behalf_of": on_behalf_of, "quote": quote, "beneficiary": beneficiary, "made_by": made_by, "beneficiary_name": beneficiary_name, "scheduled": scheduled}, options=options)

    def retrieve(self, id: str, *, expand: Optional[Union[Literal["beneficiary", "quote", "on_behalf_of", "balance_transaction", "approval"], Sequence[Literal["beneficiary", "quote", "on_behalf_of", "balance_transaction", "approval"]]]] = None, options: Options = Options()) -> Answer["Payout"]:
        """Fetch a payout. `GET /v3/payout/{id}`"""
        return self._transport.call("GET", f"/v3/payout/{segment(id)}", query={"expand": expand}, options=options)

    def update(self, id: str, body: "PayoutUpdate", *, options: Options = Options()) -> Answer["Payout"]:
        """Change the metadata of a payout, in whatever state it is. `PUT /v3/payout/{id}`"""
        return self._transport.call("PUT", f"/v3/payout/{segment(id)}", query={}, body=body, options=options)

    def cancel(self, id: str, body: "CancelRequest" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Payout"]:
        """Cancel a payout that the rail has not taken. `POST /v3/payout/{id}/cancel`"""
        return self._transport.call("POST", f"/v3/payout/{segment(id)}/cancel", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def action(self, id: str, body: "ActionRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Payout"]:
        """Answer what a payout in `requires_action` asks for. `POST /v3/payout/{id}/action`"""
        return self._transport.call("POST", f"/v3/payout/{segment(id)}/action", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def confirmation(self, id: str, *, zone: Optional[str] = None, options: Options = Options()) -> Raw:
        """The confirmation of a paid payout for its payee, as PDF. `GET /v3/payout/{id}/confirmation`"""
        return self._transport.raw("GET", f"/v3/payout/{segment(id)}/confirmation", query={"zone": zone}, media="application/pdf", options=options)

    def requirements(self, *, type: Optional[Literal["swift", "local", "local_payment_network", "wallet", "service_account"]] = None, currency: Optional[str] = None, country: Optional[str] = None, network: Optional[str] = None, options: Options = Options()) -> Answer["PayoutRequirements"]:
        """What a destination must have to be paid. `GET /v3/payout/requirements`"""
        return self._transport.call("GET", "/v3/payout/requirements", query={"type": type, "currency": currency, "country": country, "network": network}, options=options)

    def options(self, body: "OptionsRequest", *, options: Options = Options()) -> Answer["PayoutOptions"]:
        """Compare every option for a payout. `POST /v3/payout/options`"""
        return self._transport.call("POST", "/v3/payout/options", query={}, body=body, options=options)

    def timeline(self, id: str, *, options: Options = Options()) -> Answer["PayoutTimeline"]:
        """Fetch what happened to a payout, and why. `GET /v3/payout/{id}/timeline`"""
        return self._transport.call("GET", f"/v3/payout/{segment(id)}/timeline", query={}, options=options)

    def approval(self, id: str, *, options: Options = Options()) -> Answer["PayoutApproval"]:
        """Show the approvals that a payout needs before it goes out, and who has approved it. `GET /v3/payout/{id}/approval`"""
        return self._transport.call("GET", f"/v3/payout/{segment(id)}/approval", query={}, options=options)

    def approve(self, id: str, body: "ApproveRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Payout"]:
        """Approve a payout as it was shown to you. `POST /v3/payout/{id}/approve`"""
        return self._transport.call("POST", f"/v3/payout/{segment(id)}/approve", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def reject(self, id: str, body: "RejectRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Payout"]:
        """Reject a payout. `POST /v3/payout/{id}/reject`"""
        return self._transport.call("POST", f"/v3/payout/{segment(id)}/reject", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class ConversionsQuotesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: "ConversionQuoteRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["ConversionQuote"]:
        """Fix the rate and the fees of a conversion for two minutes. `POST /v3/conversion/quote`"""
        return self._transport.call("POST", "/v3/conversion/quote", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["ConversionQuote"]:
        """Fetch the quote of a conversion. `GET /v3/conversion/quote/{id}`"""
        return self._transport.call("GET", f"/v3/conversion/quote/{segment(id)}", query={}, options=options)


class ConversionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.quotes = ConversionsQuotesResource(transport)

    def create(self, body: "ConversionRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Conversion"]:
        """Change money of one balance of the account into another of its currencies. `POST /v3/conversion`"""
        return self._transport.call("POST", "/v3/conversion", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, holding_currency: Optional[Union[str, Sequence[str]]] = None, destination_currency: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Listing["Conversion"]:
        """List conversions, newest first. `GET /v3/conversion`"""
        return self._transport.list("id", "GET", "/v3/conversion", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "holding_currency": holding_currency, "destination_currency": destination_currency}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["Conversion"]:
        """Fetch a conversion. `GET /v3/conversion/{id}`"""
        return self._transport.call("GET", f"/v3/conversion/{segment(id)}", query={}, options=options)


class CurrenciesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, code: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Answer["Currencies"]:
        """List every currency with its number of decimals. `GET /v3/currency`"""
        return self._transport.call("GET", "/v3/currency", query={"code": code}, options=options)


class NetworksResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, type: Optional[Literal["local", "local_payment_network", "wallet"]] = None, currency: Optional[str] = None, country: Optional[str] = None, options: Options = Options()) -> Answer["Networks"]:
        """List the networks of a currency or a country. `GET /v3/network`"""
        return self._transport.call("GET", "/v3/network", query={"type": type, "currency": currency, "country": country}, options=options)


class RateResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, from_: str, to: str, options: Options = Options()) -> Answer["IndicativeRate"]:
        """The rate at which the account would be quoted now. `GET /v3/rate`"""
        return self._transport.call("GET", "/v3/rate", query={"from": from_, "to": to}, options=options)


class PayoutBatchesItemsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, status: Optional[Union[Literal["created", "held", "refused"], Sequence[Literal["created", "held", "refused"]]]] = None, options: Options = Options()) -> Listing["PayoutBatchItem"]:
        """List the result of each payout of a batch, in the order of the request. `GET /v3/payout_batch/{id}/item`"""
        return self._transport.list("position", "GET", f"/v3/payout_batch/{segment(id)}/item", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "status": status}, options=options)


class PayoutBatchesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.items = PayoutBatchesItemsResource(transport)

    def create(self, body: "PayoutBatchRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutBatch"]:
        """Make up to 10000 payouts at once. `POST /v3/payout_batch`"""
        return self._transport.call("POST", "/v3/payout_batch", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, reference_id: Optional[str] = None, mode: Optional[Union[Literal["all_or_nothing", "best_effort"], Sequence[Literal["all_or_nothing", "best_effort"]]]] = None, options: Options = Options()) -> Listing["PayoutBatch"]:
        """List batches of payouts, newest first. `GET /v3/payout_batch`"""
        return self._transport.list("id", "GET", "/v3/payout_batch", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "reference_id": reference_id, "mode": mode}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["PayoutBatch"]:
        """Fetch a batch of payouts. `GET /v3/payout_batch/{id}`"""
        return self._transport.call("GET", f"/v3/payout_batch/{segment(id)}", query={}, options=options)

    def approval(self, id: str, *, options: Options = Options()) -> Answer["PayoutBatchApproval"]:
        """Show the payouts of a batch that wait for approval, with one digest of all of them. `GET /v3/payout_batch/{id}/approval`"""
        return self._transport.call("GET", f"/v3/payout_batch/{segment(id)}/approval", query={}, options=options)

    def approve(self, id: str, body: "ApproveRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutBatchDecision"]:
        """Approve all payouts of a batch that wait, as they were shown to you. `POST /v3/payout_batch/{id}/approve`"""
        return self._transport.call("POST", f"/v3/payout_batch/{segment(id)}/approve", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def reject(self, id: str, body: "RejectRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutBatchDecision"]:
        """Reject all payouts of a batch that wait. `POST /v3/payout_batch/{id}/reject`"""
        return self._transport.call("POST", f"/v3/payout_batch/{segment(id)}/reject", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class BalanceTransactionsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, expand: Optional[Union[Literal["payout"], Sequence[Literal["payout"]]]] = None, currency: Optional[Union[str, Sequence[str]]] = None, type: Optional[Union[Literal["escrow", "payout", "payout_failure", "payout_reversal", "withdrawal", "adjustment", "escrow_reversal", "withdrawal_reversal", "adjustment_reversal", "conversion_out", "conversion_in"], Sequence[Literal["escrow", "payout", "payout_failure", "payout_reversal", "withdrawal", "adjustment", "escrow_reversal", "withdrawal_reversal", "adjustment_reversal", "conversion_out", "conversion_in"]]]] = None, operation_type: Optional[Union[Literal["credit", "debit"], Sequence[Literal["credit", "debit"]]]] = None, source: Optional[Union[str, Sequence[str]]] = None, payout: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Listing["BalanceTransaction"]:
        """List the lines of the statement, newest first. `GET /v3/balance_transaction`"""
        return self._transport.list("id", "GET", "/v3/balance_transaction", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "expand": expand, "currency": currency, "type": type, "operation_type": operation_type, "source": source, "payout": payout}, options=options)

    def csv(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, expand: Optional[Union[Literal["payout"], Sequence[Literal["payout"]]]] = None, currency: Optional[Union[str, Sequence[str]]] = None, type: Optional[Union[Literal["escrow", "payout", "payout_failure", "payout_reversal", "withdrawal", "adjustment", "escrow_reversal", "withdrawal_reversal", "adjustment_reversal", "conversion_out", "conversion_in"], Sequence[Literal["escrow", "payout", "payout_failure", "payout_reversal", "withdrawal", "adjustment", "escrow_reversal", "withdrawal_reversal", "adjustment_reversal", "conversion_out", "conversion_in"]]]] = None, operation_type: Optional[Union[Literal["credit", "debit"], Sequence[Literal["credit", "debit"]]]] = None, source: Optional[Union[str, Sequence[str]]] = None, payout: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Raw:
        """List the lines of the statement, newest first. `GET /v3/balance_transaction`"""
        return self._transport.raw("GET", "/v3/balance_transaction", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "expand": expand, "currency": currency, "type": type, "operation_type": operation_type, "source": source, "payout": payout}, media="text/csv", options=options)

    def retrieve(self, id: str, *, expand: Optional[Union[Literal["payout"], Sequence[Literal["payout"]]]] = None, options: Options = Options()) -> Answer["BalanceTransaction"]:
        """Fetch one movement on a balance. `GET /v3/balance_transaction/{id}`"""
        return self._transport.call("GET", f"/v3/balance_transaction/{segment(id)}", query={"expand": expand}, options=options)


class BalanceResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, as_of: Optional[str] = None, options: Options = Options()) -> Answer["Balance"]:
        """The balance in each currency, now or as of an instant. `GET /v3/balance`"""
        return self._transport.call("GET", "/v3/balance", query={"as_of": as_of}, options=options)


class StatementResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, format: Literal["csv", "camt053", "mt940", "pdf"], from_: str, to: Optional[str] = None, currency: Optional[str] = None, zone: Optional[str] = None, options: Options = Options()) -> Raw:
        """The statement of a period, as camt.053, MT940, CSV or PDF. `GET /v3/statement`"""
        return self._transport.raw("GET", "/v3/statement", query={"format": format, "from": from_, "to": to, "currency": currency, "zone": zone}, media="application/xml, text/plain, text/csv, application/pdf", options=options)


class EntitiesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: "EntityRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Entity"]:
        """Record a person or a business, once. `POST /v3/entity`"""
        return self._transport.call("POST", "/v3/entity", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, name: Optional[str] = None, email: Optional[str] = None, metadata: Optional[dict[str, str]] = None, type: Optional[Union[Literal["individual", "business"], Sequence[Literal["individual", "business"]]]] = None, approval_status: Optional[Union["ApprovalStatus", Sequence["ApprovalStatus"]]] = None, reference_id: Optional[str] = None, on_behalf_of: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Listing["Entity"]:
        """List entities, newest first. `GET /v3/entity`"""
        return self._transport.list("id", "GET", "/v3/entity", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "name": name, "email": email, "metadata": metadata, "type": type, "approval_status": approval_status, "reference_id": reference_id, "on_behalf_of": on_behalf_of}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["Entity"]:
        """Fetch an entity. `GET /v3/entity/{id}`"""
        return self._transport.call("GET", f"/v3/entity/{segment(id)}", query={}, options=options)

    def update(self, id: str, body: "EntityUpdate" = {}, *, options: Options = Options()) -> Answer["Entity"]:
        """Change an entity. `PUT /v3/entity/{id}`"""
        return self._transport.call("PUT", f"/v3/entity/{segment(id)}", query={}, body=body, options=options)

    def timeline(self, id: str, *, options: Options = Options()) -> Answer["EntityTimeline"]:
        """The reviews of an entity, and the records that were answered with it. `GET /v3/entity/{id}/timeline`"""
        return self._transport.call("GET", f"/v3/entity/{segment(id)}/timeline", query={}, options=options)

    def submit(self, id: str, body: "EntitySubmission" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Entity"]:
        """Submit an entity to the operator for review. `POST /v3/entity/{id}/submit`"""
        return self._transport.call("POST", f"/v3/entity/{segment(id)}/submit", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def duplicate_check(self, body: "EntityRequest", *, options: Options = Options()) -> Answer["EntityDuplicateCheck"]:
        """Ask whether creating an entity would return an existing one, and why. `POST /v3/entity/duplicate_check`"""
        return self._transport.call("POST", "/v3/entity/duplicate_check", query={}, body=body, options=options)


class BeneficiariesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, body: "BeneficiaryDetails", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Record who can be paid, and where. `POST /v3/beneficiary`"""
        return self._transport.call("POST", "/v3/beneficiary", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, name: Optional[str] = None, email: Optional[str] = None, account_number: Optional[str] = None, metadata: Optional[dict[str, str]] = None, reference_id: Optional[str] = None, archived: Optional[bool] = None, type: Optional[Union[Literal["individual", "business"], Sequence[Literal["individual", "business"]]]] = None, destination_type: Optional[Union[Literal["bank", "wallet", "local_payment_network", "service_account"], Sequence[Literal["bank", "wallet", "local_payment_network", "service_account"]]]] = None, status: Optional[Union[Literal["active", "pending_approval", "rejected"], Sequence[Literal["active", "pending_approval", "rejected"]]]] = None, options: Options = Options()) -> Listing["Beneficiary"]:
        """List beneficiaries, newest first. `GET /v3/beneficiary`"""
        return self._transport.list("id", "GET", "/v3/beneficiary", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "name": name, "email": email, "account_number": account_number, "metadata": metadata, "reference_id": reference_id, "archived": archived, "type": type, "destination_type": destination_type, "status": status}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["Beneficiary"]:
        """Fetch a beneficiary. `GET /v3/beneficiary/{id}`"""
        return self._transport.call("GET", f"/v3/beneficiary/{segment(id)}", query={}, options=options)

    def update(self, id: str, body: "BeneficiaryUpdate" = {}, *, options: Options = Options()) -> Answer["Beneficiary"]:
        """Change a beneficiary, for payouts that are still to be made. `PUT /v3/beneficiary/{id}`"""
        return self._transport.call("PUT", f"/v3/beneficiary/{segment(id)}", query={}, body=body, options=options)

    def archive(self, id: str, body: "ArchiveRequest" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Archive a beneficiary: ordinary lists leave it out, and it cannot be paid. `POST /v3/beneficiary/{id}/archive`"""
        return self._transport.call("POST", f"/v3/beneficiary/{segment(id)}/archive", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def unarchive(self, id: str, body: "ArchiveRequest" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Unarchive a beneficiary. `POST /v3/beneficiary/{id}/unarchive`"""
        return self._transport.call("POST", f"/v3/beneficiary/{segment(id)}/unarchive", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def notice(self, id: str, *, options: Options = Options()) -> Answer["BeneficiaryNotices"]:
        """Show what banks ask to correct at a beneficiary. `GET /v3/beneficiary/{id}/notice`"""
        return self._transport.call("GET", f"/v3/beneficiary/{segment(id)}/notice", query={}, options=options)

    def accept_notice(self, id: str, body: "AcceptNotice", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Take over the value that a bank corrects at a beneficiary. `POST /v3/beneficiary/{id}/accept_notice`"""
        return self._transport.call("POST", f"/v3/beneficiary/{segment(id)}/accept_notice", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def approval(self, id: str, *, options: Options = Options()) -> Answer["BeneficiaryApproval"]:
        """Show the approvals that a beneficiary needs before it is paid, and who has approved it. `GET /v3/beneficiary/{id}/approval`"""
        return self._transport.call("GET", f"/v3/beneficiary/{segment(id)}/approval", query={}, options=options)

    def approve(self, id: str, body: "ApproveRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Approve a beneficiary as it was shown to you. `POST /v3/beneficiary/{id}/approve`"""
        return self._transport.call("POST", f"/v3/beneficiary/{segment(id)}/approve", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def reject(self, id: str, body: "RejectRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Beneficiary"]:
        """Reject a beneficiary. `POST /v3/beneficiary/{id}/reject`"""
        return self._transport.call("POST", f"/v3/beneficiary/{segment(id)}/reject", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class EventsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, type: Optional[Union[str, Sequence[str]]] = None, object_id: Optional[Union[str, Sequence[str]]] = None, options: Options = Options()) -> Listing["AccountEvent"]:
        """List events, newest first. `GET /v3/event`"""
        return self._transport.list("id", "GET", "/v3/event", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "type": type, "object_id": object_id}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["AccountEvent"]:
        """Fetch an event. `GET /v3/event/{id}`"""
        return self._transport.call("GET", f"/v3/event/{segment(id)}", query={}, options=options)


class WebhookEndpointsDeliveriesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, status: Optional[Union[Literal["pending", "succeeded", "dead", "cancelled"], Sequence[Literal["pending", "succeeded", "dead", "cancelled"]]]] = None, options: Options = Options()) -> Listing["WebhookDelivery"]:
        """List the deliveries of a webhook endpoint, newest first. `GET /v3/webhook_endpoint/{id}/delivery`"""
        return self._transport.list("id", "GET", f"/v3/webhook_endpoint/{segment(id)}/delivery", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "status": status}, options=options)

    def retrieve(self, id: str, delivery_id: str, *, options: Options = Options()) -> Answer["WebhookDeliveryDetails"]:
        """Fetch a delivery with its attempts. `GET /v3/webhook_endpoint/{id}/delivery/{delivery_id}`"""
        return self._transport.call("GET", f"/v3/webhook_endpoint/{segment(id)}/delivery/{segment(delivery_id)}", query={}, options=options)


class WebhookEndpointsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.deliveries = WebhookEndpointsDeliveriesResource(transport)

    def create(self, body: "WebhookEndpointRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["WebhookEndpointWithSecret"]:
        """Create a webhook endpoint: an address that events are sent to. `POST /v3/webhook_endpoint`"""
        return self._transport.call("POST", "/v3/webhook_endpoint", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, status: Optional[Union[Literal["enabled", "disabled"], Sequence[Literal["enabled", "disabled"]]]] = None, options: Options = Options()) -> Listing["WebhookEndpoint"]:
        """List webhook endpoints, newest first. `GET /v3/webhook_endpoint`"""
        return self._transport.list("id", "GET", "/v3/webhook_endpoint", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "status": status}, options=options)

    def retrieve(self, id: str, *, options: Options = Options()) -> Answer["WebhookEndpoint"]:
        """Fetch a webhook endpoint. `GET /v3/webhook_endpoint/{id}`"""
        return self._transport.call("GET", f"/v3/webhook_endpoint/{segment(id)}", query={}, options=options)

    def update(self, id: str, body: "WebhookEndpointUpdate" = {}, *, options: Options = Options()) -> Answer["WebhookEndpoint"]:
        """Change, disable or enable a webhook endpoint. `PUT /v3/webhook_endpoint/{id}`"""
        return self._transport.call("PUT", f"/v3/webhook_endpoint/{segment(id)}", query={}, body=body, options=options)

    def delete(self, id: str, *, options: Options = Options()) -> Answer["WebhookEndpointDeleted"]:
        """Delete a webhook endpoint. `DELETE /v3/webhook_endpoint/{id}`"""
        return self._transport.call("DELETE", f"/v3/webhook_endpoint/{segment(id)}", query={}, options=options)

    def rotate_secret(self, id: str, body: "SecretRotationRequest" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["WebhookEndpointWithSecret"]:
        """Give a webhook endpoint a new secret. `POST /v3/webhook_endpoint/{id}/rotate_secret`"""
        return self._transport.call("POST", f"/v3/webhook_endpoint/{segment(id)}/rotate_secret", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def test(self, id: str, body: "WebhookTestRequest" = {}, *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["WebhookEndpointEvent"]:
        """Send a test event to a webhook endpoint. `POST /v3/webhook_endpoint/{id}/test`"""
        return self._transport.call("POST", f"/v3/webhook_endpoint/{segment(id)}/test", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def replay(self, id: str, body: "WebhookReplayRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["WebhookReplay"]:
        """Send events again. `POST /v3/webhook_endpoint/{id}/replay`"""
        return self._transport.call("POST", f"/v3/webhook_endpoint/{segment(id)}/replay", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class SandboxClockResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def advance(self, body: "ClockRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["SandboxClock"]:
        """Move the clock of a sandbox account forward. `POST /v3/sandbox/clock/advance`"""
        return self._transport.call("POST", "/v3/sandbox/clock/advance", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class SandboxPayoutsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def transition(self, id: str, body: "TransitionRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Payout"]:
        """Set the status of a payout of a sandbox account. `POST /v3/sandbox/payout/{id}/transition`"""
        return self._transport.call("POST", f"/v3/sandbox/payout/{segment(id)}/transition", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class SandboxEntitiesResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def review(self, id: str, body: "SandboxReview", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["Entity"]:
        """Approve an entity of a sandbox account, reject it, or ask for more. `POST /v3/sandbox/entity/{id}/review`"""
        return self._transport.call("POST", f"/v3/sandbox/entity/{segment(id)}/review", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class SandboxResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.clock = SandboxClockResource(transport)
        self.payouts = SandboxPayoutsResource(transport)
        self.entities = SandboxEntitiesResource(transport)

    def fund(self, body: "Funding", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["BalanceTransactionAlone"]:
        """Credit a balance of a sandbox account. `POST /v3/sandbox/fund`"""
        return self._transport.call("POST", "/v3/sandbox/fund", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class RequestLogsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, request_id: Optional[str] = None, outcome: Optional[Literal["succeeded", "refused", "failed", "abandoned"]] = None, method: Optional[Literal["GET", "POST", "PUT", "PATCH", "DELETE"]] = None, reason: Optional[str] = None, options: Options = Options()) -> Listing["LoggedRequest"]:
        """List the last requests of a sandbox account, newest first. `GET /v3/request_log`"""
        return self._transport.list("id", "GET", "/v3/request_log", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte, "request_id": request_id, "outcome": outcome, "method": method, "reason": reason}, options=options)


class PayoutImportsPayoutsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, id: str, *, limit: Optional[int] = None, starting_after: Optional[str] = None, ending_before: Optional[str] = None, created_gt: Optional[str] = None, created_gte: Optional[str] = None, created_lt: Optional[str] = None, created_lte: Optional[str] = None, options: Options = Options()) -> Listing["Payout"]:
        """List the payouts that an import has made, newest first. `GET /v3/payout_import/{id}/payout`"""
        return self._transport.list("id", "GET", f"/v3/payout_import/{segment(id)}/payout", query={"limit": limit, "starting_after": starting_after, "ending_before": ending_before, "created.gt": created_gt, "created.gte": created_gte, "created.lt": created_lt, "created.lte": created_lte}, options=options)


class PayoutImportsResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.payouts = PayoutImportsPayoutsResource(transport)

    def approval(self, id: str, *, options: Options = Options()) -> Answer["PayoutImportApproval"]:
        """Show the payouts of an import that wait for approval, with one digest of all of them. `GET /v3/payout_import/{id}/approval`"""
        return self._transport.call("GET", f"/v3/payout_import/{segment(id)}/approval", query={}, options=options)

    def approve(self, id: str, body: "ApproveRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutImportDecision"]:
        """Approve all payouts of an import that wait, as they were shown to you. `POST /v3/payout_import/{id}/approve`"""
        return self._transport.call("POST", f"/v3/payout_import/{segment(id)}/approve", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)

    def reject(self, id: str, body: "RejectRequest", *, idempotency_key: Optional[str] = None, options: Options = Options()) -> Answer["PayoutImportDecision"]:
        """Reject all payouts of an import that wait. `POST /v3/payout_import/{id}/reject`"""
        return self._transport.call("POST", f"/v3/payout_import/{segment(id)}/reject", query={}, body=body, keyed=True, idempotency_key=idempotency_key, options=options)


class PayoutGroupResource:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def retrieve(self, *, options: Options = Options()) -> Answer["PayoutGroups"]:
        """Show the batches and imports with payouts that wait for approval. `GET /v3/payout_group`"""
        return self._transport.call("GET", "/v3/payout_group", query={}, options=options)


class Resources:
    """Every resource of the service."""

    def __init__(self, transport: Transport) -> None:
        self.operations = OperationsResource(transport)
        self.account = AccountResource(transport)
        self.funding_instructions = FundingInstructionsResource(transport)
        self.makers = MakersResource(transport)
        self.search = SearchResource(transport)
        self.payouts = PayoutsResource(transport)
        self.conversions = ConversionsResource(transport)
        self.currencies = CurrenciesResource(transport)
        self.networks = NetworksResource(transport)
        self.rate = RateResource(transport)
        self.payout_batches = PayoutBatchesResource(transport)
        self.balance_transactions = BalanceTransactionsResource(transport)
        self.balance = BalanceResource(transport)
        self.statement = StatementResource(transport)
        self.entities = EntitiesResource(transport)
        self.beneficiaries = BeneficiariesResource(transport)
        self.events = EventsResource(transport)
        self.webhook_endpoints = WebhookEndpointsResource(transport)
        self.sandbox = SandboxResource(transport)
        self.request_logs = RequestLogsResource(transport)
        self.payout_imports = PayoutImportsResource(transport)
        self.payout_group = PayoutGroupResource(transport)
