"""Refusals as errors: overflows of every provider with their limits, and words that say what to do."""

import json
import time
from collections.abc import Callable

import pytest

from tui_agent.errors import (
    AuthFailed,
    ContextOverflow,
    ModelError,
    RateLimited,
    RequestRefused,
    ServerFailed,
)
from tui_agent.model.endpoint import Endpoint
from tui_agent.model.failures import failure_of, not_a_stream, too_slow
from tui_agent.model.said import ServerSaid, said_in, said_in_response
from tui_agent.settings.describe import descriptions

HERE = Endpoint("https://api.example.com/v1", api_key="sk-canary-4711")


def refused(status: int, body: object, endpoint: Endpoint = HERE) -> ModelError:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return failure_of(said_in_response(status, {}, content), endpoint, "some-model")


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


OVERFLOWS: list[tuple[str, int, object, int | None]] = [
    (
        "OpenAI",
        400,
        error(
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens.",
            type="invalid_request_error",
            param="messages",
            code="context_length_exceeded",
        ),
        128000,
    ),
    (
        "OpenAI, input cap",
        400,
        error(
            "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens.",
            code="context_length_exceeded",
        ),
        272000,
    ),
    (
        "OpenAI, newer",
        400,
        error("Your input exceeds the context window of this model. Please adjust your input."),
        None,
    ),
    (
        "llama.cpp",
        400,
        error(
            "request (1231 tokens) exceeds the available context size (512 tokens), try increasing it",
            code=400,
            type="exceed_context_size_error",
            n_prompt_tokens=1231,
            n_ctx=512,
        ),
        512,
    ),
    (
        "llama.cpp, older",
        500,
        error("input (1300 tokens) is larger than the max context size (1024 tokens). skipping"),
        1024,
    ),
    (
        "vLLM",
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens.",
            "type": "BadRequestError",
            "code": 400,
        },
        4096,
    ),
    (
        "vLLM, newer",
        400,
        error(
            "You passed 5000 input tokens and requested 100 output tokens. However, the model's context length is only"
            " 4096 tokens, resulting in a maximum input length of 3996 tokens."
        ),
        4096,
    ),
    ("Ollama", 400, error("the prompt is longer than the context length currently available to the model"), None),
    ("Ollama, older", 400, error("prompt too long; exceeded max context length by 120 tokens"), None),
    (
        "LM Studio",
        400,
        {
            "error": "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded"
            " with context length of only 4096 tokens, which is not enough."
        },
        4096,
    ),
    ("LiteLLM", 400, error("litellm.ContextWindowExceededError: rate limit of the proxy ...", code="400"), None),
    (
        "LM Studio, newer",
        400,
        {"error": "The number of tokens to keep from the initial prompt is greater than the context length."},
        None,
    ),
    ("OpenAI, newest", 400, error("Your input exceeds this model's context window."), None),
    ("by its code alone", 422, error("Request failed.", code="max_tokens_exceeded"), None),
    ("a gateway", 400, error("tokens in request more than max tokens allowed"), None),
    ("Copilot", 400, error("prompt token count of 130000 exceeds the limit of 128000"), 128000),
    (
        "GitHub Models",
        413,
        error("Request body too large for gpt-4o model. Max size: 8000 tokens.", code="tokens_limit_reached"),
        8000,
    ),
    (
        "DashScope",
        400,
        error("InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]"),
        30720,
    ),
    ("Zhipu", 400, error("Prompt 超长", code="1261"), None),
    ("in Chinese", 400, error("输入内容过长，超过模型最大上下文长度 8192"), 8192),
    ("MiniMax", 400, error("invalid params, context window exceeds limit (2013)"), None),
    (
        "TGI",
        422,
        {"error": "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs`"},
        4096,
    ),
    (
        "vLLM, by the decoder",
        400,
        error("The decoder prompt (length 46112) is longer than the maximum model length of 32768."),
        32768,
    ),
    (
        "Cohere",
        400,
        {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000."},
        4081,
    ),
    ("TabbyAPI", 400, error("Prompt length 5000 is greater than max_seq_len 4096"), 4096),
    ("an input of its own", 400, error("Input length 9000 exceeds maximum input length of 8192"), 8192),
    (
        "Anthropic",
        400,
        error("prompt is too long: 210000 tokens > 200000 maximum", type="invalid_request_error"),
        200000,
    ),
    (
        "Anthropic, reply",
        400,
        error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease"),
        200000,
    ),
    ("Anthropic, bytes", 413, error("Request exceeds the maximum size", type="request_too_large"), None),
    (
        "Gemini",
        400,
        [
            {
                "error": {
                    "code": 400,
                    "message": "The input token count (1200000) exceeds the maximum number of tokens allowed"
                    " (1048576).",
                    "status": "INVALID_ARGUMENT",
                }
            }
        ],
        1048576,
    ),
    (
        "OpenRouter",
        400,
        error(
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens.",
            code=400,
        ),
        32768,
    ),
    (
        "OpenRouter, behind",
        400,
        error(
            "Provider returned error",
            code=400,
            metadata={"raw": '{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}', "provider_name": "x"},
        ),
        8,
    ),
    (
        "Mistral",
        400,
        {
            "message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
            "code": "3051",
        },
        32768,
    ),
    (
        "Groq",
        400,
        error("Please reduce the length of the messages or completion.", code="context_length_exceeded"),
        None,
    ),
    (
        "Groq, rate",
        413,
        error(
            "Request too large for model `x` on tokens per minute (TPM): Limit 8000, Requested 13000, please reduce",
            type="tokens",
            code="rate_limit_exceeded",
        ),
        8000,
    ),
    (
        "OpenAI, rate",
        429,
        error(
            "Request too large for gpt-4o on tokens per min (TPM): Limit 10,000, Requested 15,000.",
            code="rate_limit_exceeded",
        ),
        10000,
    ),
    (
        "xAI",
        400,
        {"error": "This model's maximum prompt length is 131072 but the request contains 140000 tokens."},
        131072,
    ),
    ("Together", 422, error("The input (9000 tokens) is longer than the model's context length (8192 tokens)."), 8192),
    ("Kimi", 400, error("Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)"), 8192),
    ("with commas", 400, error("This model's maximum context length is 131,072 tokens."), 131072),
    ("a limit without a verb", 400, error("Input length 9000 exceeds maximum context length 4,096"), 4096),
    ("thousands set apart by blanks", 400, error("This model's maximum context length is 131 072 tokens."), 131072),
    ("counted in thousands", 400, error("It exceeds the model's context window of 128K tokens"), 128_000),
    ("Zhipu, in English", 400, error("Prompt exceeds max length", code="1261"), None),
    (
        "SiliconFlow",
        400,
        {"code": 20015, "message": "length of prompt_tokens (40000) must be less than max_seq_len (32768).", "data": 0},
        32768,
    ),
    ("Volcano", 400, error("Input length 140000 exceeds the maximum length 131072. Request id: 02abc"), 131072),
    ("Qianfan", 400, {"error_code": 336007, "error_msg": "Prompt tokens too long, max 5120 tokens"}, 5120),
    ("Spark", 400, {"header": {"code": 10907, "message": "ContextLengthExceeded: tokens exceed limit"}}, None),
    (
        "MiniMax, its answer's head",
        400,
        {"base_resp": {"status_code": 1039, "status_msg": "token limit exceeded"}},
        None,
    ),
    (
        "Cloudflare",
        400,
        {"errors": [{"message": "input tokens (9000) exceeded this model context window limit (8000)."}]},
        8000,
    ),
    ("Perplexity", 400, error("Requested 200000 tokens but the max is 127072"), 127072),
    ("vLLM, by the prompt", 400, error("Input prompt (9000 tokens) is too long and exceeds limit of 8192"), 8192),
    ("Ollama, with its limit", 400, error("prompt (9100 tokens) exceeds context length (4096 tokens)"), 4096),
    ("LM Studio, by what it keeps", 400, {"error": "Cannot truncate prompt with n_keep (5000) >= n_ctx (4096)"}, 4096),
    ("Vertex", 400, [error("input token count is 40000 but the model only supports up to 32768.")], 32768),
    ("YandexGPT", 400, error("Number of input tokens must be no more than 32768, got 40000"), 32768),
    ("CLOVA", 400, {"status": {"code": "40001", "message": "Input text too long"}}, None),
    ("watsonx", 400, {"errors": [{"message": "input tokens 5000 cannot exceed the total tokens limit 4096"}]}, 4096),
    ("AI21", 422, {"detail": "Prompt has too many tokens. Max is 8191"}, 8191),
    ("in Chinese, by another word", 400, error("输入token数量超过模型限制：8192", code="10907"), 8192),
    ("in Chinese, without a limit", 400, error("输入的内容超出模型上下文窗口限制", code="400"), None),
    ("in Japanese", 400, error("入力が長すぎます。コンテキスト長 8192 トークンを超えています"), 8192),
    ("in Russian", 400, error("Превышена максимальная длина контекста модели: 8192 токенов"), 8192),
    ("in German", 400, error("Die Anfrage überschreitet das Kontextfenster von 8192 Token"), 8192),
    ("inside a string", 400, error('{"error":{"message":"maximum context length is 8192 tokens"}}'), 8192),
]


@pytest.mark.parametrize(
    ("status", "body", "limit"), [each[1:] for each in OVERFLOWS], ids=[each[0] for each in OVERFLOWS]
)
def test_an_overflow_is_recognised_and_its_limit_read(status: int, body: object, limit: int | None) -> None:
    failure = refused(status, body)
    assert isinstance(failure, ContextOverflow), repr(failure)
    assert failure.limit == limit


def test_a_request_that_is_echoed_in_a_refusal_is_not_read_as_the_endpoints_words() -> None:
    echo = {"content": "the maximum context length is 5 tokens"}
    detail = [
        {"type": "extra_forbidden", "loc": ["body", "foo"], "msg": "Extra inputs are not permitted", "input": echo}
    ]
    assert type(refused(422, {"detail": detail})) is RequestRefused


def test_an_overflow_inside_a_stream_is_recognised() -> None:
    failure = failure_of(said_in({"error": {"message": "Context size has been exceeded."}}), HERE)
    assert isinstance(failure, ContextOverflow)


def test_an_empty_refusal_of_cerebras_is_an_overflow_and_of_others_is_not() -> None:
    assert isinstance(refused(400, b"", Endpoint("https://api.cerebras.ai/v1")), ContextOverflow)
    assert not isinstance(refused(400, b""), ContextOverflow)


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (
            429,
            error("Rate limit reached (TPM): Limit 8000, Used 7000, Requested 2000.", code="rate_limit_exceeded"),
            RateLimited,
        ),
        (429, error("Limit 8000, Requested 2000", code="rate_limit_exceeded"), RateLimited),
        (429, error("You exceeded your current quota", code="insufficient_quota"), RequestRefused),
        (402, error("Insufficient credits"), RequestRefused),
        (400, error("API key not valid. Please pass a valid API key.", status="INVALID_ARGUMENT"), AuthFailed),
        (401, error("Incorrect API key provided"), AuthFailed),
        (403, error("Country not supported"), AuthFailed),
        (404, error("The model `x` does not exist", code="model_not_found"), RequestRefused),
        (503, error("Loading model"), ServerFailed),
        (500, error("Unable to generate parser for this template"), RequestRefused),
        (
            400,
            error("max_tokens is too large: 90000. This model supports at most 16384 completion tokens"),
            RequestRefused,
        ),
        (400, error("System message must be at the beginning."), RequestRefused),
        (500, error("context deadline exceeded"), ServerFailed),
        (529, error("Overloaded", type="overloaded_error"), ServerFailed),
        (400, error("input exceeds the maximum number of images (5)"), RequestRefused),
        (400, error("the tool description exceeds the maximum length of 1024"), RequestRefused),
        (400, error("Invalid input: max_tokens must be at most 4096"), RequestRefused),
        (500, error("the request exceeded the time limit of 60 seconds"), ServerFailed),
        (403, error("Daily token limit exceeded"), AuthFailed),
        (400, error("Превышен лимит запросов в минуту"), RequestRefused),
        (400, error("Invalid API-key provided.", code="InvalidApiKey"), AuthFailed),
        (429, error("余额不足或无可用资源包,请充值。", code="1113"), RequestRefused),
        (403, {"code": 30001, "message": "Sorry, your account balance is insufficient"}, RequestRefused),
        (400, error("Your credit balance is too low to access the API."), RequestRefused),
    ],
)
def test_what_looks_alike_is_told_apart(status: int, body: object, kind: type[ModelError]) -> None:
    failure = refused(status, body)
    assert type(failure) is kind, repr(failure)


def test_an_account_without_money_is_told_apart_from_a_key_and_from_a_rate() -> None:
    for status, words in ((429, "余额不足"), (403, "Insufficient Balance"), (400, "Arrearage: access denied")):
        assert "no credit" in refused(status, error(words)).meaning


@pytest.mark.parametrize("unit", ["prompt ", "input length ", "1,", "token limit of ", "exceeds the ", "длин "])
def test_a_long_refusal_is_soon_read(unit: str) -> None:
    started = time.process_time()
    refused(400, error(unit * 4_000))
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"error": ["a", "b"]}, "a; b"),
        ({"error": {"message": "  "}, "detail": "outer"}, "outer"),
        ({"error": {"error": {"message": "inner"}}}, "inner"),
        ({"response": {"error": {"message": "inner"}}}, "inner"),
        ({"fault": {"faultstring": "gateway"}}, "gateway"),
        ({"error": {"code": "server_overloaded"}}, "server_overloaded"),
        ({"error": True, "message": "so"}, "so"),
        ({"error": {"message": {"text": {"message": "deep"}}}}, "deep"),
    ],
)
def test_the_words_of_an_error_are_found_where_they_are(body: object, words: str) -> None:
    assert said_in(body, 400).message == words


@pytest.mark.parametrize("wrap", [lambda inner: {"message": inner}, lambda inner: [inner], lambda inner: {"x": inner}])
def test_an_error_within_hundreds_of_others_is_no_trouble(wrap: Callable[[object], object]) -> None:
    body: object = "deep"
    for _ in range(600):
        body = wrap(body)
    assert said_in({"error": {"errors": body, "message": "so"}}, 400).message == "so"
    assert isinstance(failure_of(said_in(body, 400), HERE), RequestRefused)


def test_a_code_inside_a_stream_counts_like_a_status() -> None:
    assert isinstance(failure_of(said_in({"error": {"code": 429, "message": "slow"}}), HERE), RateLimited)
    assert isinstance(failure_of(said_in({"error": {"code": "server_error", "message": "x"}}), HERE), ServerFailed)
    assert isinstance(failure_of(said_in({"error": {"code": 400, "message": "x"}}), HERE), RequestRefused)


def test_the_words_of_the_endpoint_are_shown_but_cut() -> None:
    failure = refused(400, error("bad " * 1000))
    assert "bad bad" in failure.what
    assert len(failure.what) < 600


def test_an_endpoint_that_repeats_the_key_does_not_get_it_shown() -> None:
    failure = refused(401, error("Incorrect API key provided: sk-canary-4711."))
    assert "canary" not in f"{failure} {failure!r} {failure.what}"


def test_every_failure_says_what_happened_and_where() -> None:
    for status in (400, 401, 402, 403, 404, 413, 429, 500, 503):
        failure = refused(status, error("because"))
        assert "api.example.com" in failure.what
        assert str(status) in failure.what
        assert failure.meaning


def test_without_a_key_the_advice_is_to_set_one() -> None:
    failure = refused(401, error("no"), Endpoint("https://api.example.com/v1"))
    assert "OPENAI_API_KEY" in failure.todo
    assert "/model" in failure.todo


def test_a_web_page_is_shown_by_its_title_only() -> None:
    failure = refused(502, b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title><style>x{}</style></html>")
    assert "502 Bad Gateway" in failure.what
    assert "style" not in failure.what


@pytest.mark.parametrize(
    "parsed", [None, 3, [], [None], {}, {"error": None}, {"error": []}, {"error": {"message": 5}}, "x"]
)
def test_any_shape_of_error_is_readable(parsed: object) -> None:
    said = said_in(parsed, 400)
    assert isinstance(said, ServerSaid)
    assert isinstance(failure_of(said, HERE), RequestRefused)


@pytest.mark.parametrize("address", ["http://here:8000/v1", "http://here/openai/v1beta", "http://here/api/v4"])
def test_an_address_that_ends_as_it_should_is_not_told_to(address: str) -> None:
    assert "/v1" not in not_a_stream(f"{address}/chat/completions", "", "no data came").todo
    for model in ("some-model", ""):
        told = failure_of(said_in_response(404, {}, b"{}"), Endpoint(address), model)
        assert "/v1" not in (told.todo or "")


@pytest.mark.parametrize("address", ["http://here:8000", "http://here/v", "http://v1.here/api"])
def test_another_address_is(address: str) -> None:
    assert "/v1" in not_a_stream(f"{address}/chat/completions", "", "no data came").todo
    assert "/v1" in failure_of(said_in_response(404, {}, b"{}"), Endpoint(address), "some-model").todo


def test_a_setting_that_a_message_advises_to_change_exists() -> None:
    told = too_slow(HERE, 120.0, "first piece of an answer", waits_by_setting=True).todo
    assert told.rpartition(" ")[2].rstrip(".") in {each.name for each in descriptions()}
    assert "setting" not in too_slow(HERE, 10.0, "answer").todo
