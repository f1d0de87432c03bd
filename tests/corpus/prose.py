"""What people and models say between facts: remarks, answers and tool output without anything a ledger must keep."""

REMARKS = {
    "en": (
        "Can you look at this again, please?",
        "Fine, let us go on with the next part.",
        "I am not sure I follow, can you say it in other words?",
        "Good. What would you do first?",
        "That is closer to what I had in mind.",
        "Give me a moment, I want to think about it.",
        "Which of the two would you pick, and why?",
        "Let me read it aloud once more.",
        "Could we make it a little simpler?",
        "Okay, that makes sense to me.",
        "What happens if we leave it as it is?",
        "I like the second idea better than the first.",
        "Please go on where we stopped.",
        "Hm, that is odd. Any idea where it comes from?",
        "Thanks, that helped a lot.",
    ),
    "zh": (
        "你再看一下好吗？",
        "好，我们继续下一部分。",
        "我没太明白，换个说法行吗？",
        "那你会先做什么？",
        "这个更接近我的想法。",
        "等一下，我想想。",
        "两个里面你选哪个？",
        "我再念一遍听听。",
        "能不能再简单一点？",
        "行，这样说得通。",
        "如果先放着会怎样？",
        "我更喜欢第二个想法。",
        "从刚才停下的地方接着来。",
        "嗯，有点奇怪，你觉得是哪里来的？",
        "谢谢，帮了大忙。",
    ),
}
ANSWERS = {
    "en": (
        "I would begin with the part that hurts most and leave the rest for later. It keeps the change small, and "
        "a small change is easy to take back if it turns out to be wrong. When that works, the next step is mostly "
        "a matter of patience: look at one place after another, change it, and see whether things still hold.",
        "There are two ways to see it. The first is to treat it as a matter of order: what comes early shapes what "
        "comes late, so the early part deserves more care. The second is to treat it as a matter of weight: what "
        "is heavy should be looked at first, wherever it stands. I lean towards the second, because it is easier "
        "to explain.",
        "Here is how I understand it. Something that used to be quick has become slow, nobody changed it on "
        "purpose, and the slowness comes and goes. That usually means that two things wait for each other now and "
        "then. I would look for the place where they meet, and write down what each of them holds while it waits.",
        "It reads well now. The beginning is quiet, the middle has the tension it needs, and the end does not "
        "explain itself. If I had one wish, it would be to let the reader wait a little longer before the door "
        "opens. The rest I would leave alone for a while, and come back to it with fresh eyes.",
        "I understand that this is frustrating, and I am sorry for the trouble. Let us take it step by step. Tell "
        "me what you see when it happens, and what you saw before it happened. From there we can rule out the "
        "simple causes, one after another, and hand over what is left to the people who can look inside.",
        "Yes, that would work. It costs a little more at the start and saves a lot later. The only thing I would "
        "watch is that people forget about it after a while, so it should be written down where they look first.",
    ),
    "zh": (
        "我会先从最麻烦的那部分开始，其余的放到后面。这样改动小，万一错了也容易退回来。等这一步稳了，后面的就只是耐心的问题："
        "一处一处地看，改完再看看整体是不是还站得住。",
        "可以从两个角度看。一个是看先后，前面的会影响后面的，所以前面要更用心；另一个是看轻重，哪里重就先看哪里。"
        "我倾向于后一种，因为更容易讲清楚。",
        "我的理解是这样：原来很快的东西变慢了，没有人特意改过，而且时好时坏。这种情况多半是两处互相等待。"
        "我会去找它们碰头的地方，把各自等待时占着的东西记下来。",
        "现在读起来很顺。开头安静，中间有张力，结尾没有多解释。如果还有一个愿望，就是让读者在门打开之前再多等一会儿。"
        "其余的先放一放，过几天再看。",
        "给你添麻烦了，很抱歉。我们一步一步来，先说说出现的时候看到了什么，在那之前又看到了什么。"
        "这样可以把简单的原因一个个排除掉，剩下的再交给能看到内部的同事。",
        "可以，这样行得通。开始多花一点，后面省很多。唯一要留心的是时间一长大家会忘，所以应该写在最容易看到的地方。",
    ),
}
TOOL_LINES = (
    "reading the next block of records",
    "nothing to do for this part",
    "waiting for the other side to answer",
    "the cache is warm, going on",
    "checked, no difference found",
    "skipped because it is up to date",
    "closing the connection after use",
    "one more pass over the remaining parts",
    "the order of the parts was kept",
    "all parts of this group look sound",
)
"""Lines of a program's output; a session's tools print many of them."""
